# Le texte de la fenêtre en français. Mêmes identifiants et mêmes variables que en.ftl : un test y veille.
#
# Glossaire, pour que chaque chose garde un seul nom :
#
#   step                   pas (le pas 1 250)        bookmark          signet
#   to step                avancer, reculer          watch             espion
#   over, out              par-dessus, sortir        finding           constat
#   position               position                  warning           avertissement
#   trace window           fenêtre de trace          hit               résultat
#   panel                  panneau                   external change   modification externe
#   layout                 disposition               write, read       écriture, lecture
#   timeline               chronologie               access            accès
#   flame graph            graphe de flammes         caller, callee    appelant, appelé
#   heat                   zones chaudes             call stack        pile d’appels
#   heap, stack            tas, pile                 frame             cadre
#   thread, core           thread, cœur              exception         exception
#   register, lane         registre, voie            inferred          déduit
#   byte                   octet                     recorded          enregistré
#   function, line         fonction, ligne           unknown           inconnu
#   fold, unfold           plier, déplier            pin               épingler
#   image, symbol          image, symbole            settings          paramètres
#
# Une commande est à l’infinitif. Les nombres gardent la virgule des milliers, puisqu’ils se recopient tels quels.
# Devant « : ; ? ! » et dans les guillemets, l’espace est insécable.

## commands names

command-open = Ouvrir…
command-open-directory = Ouvrir un dossier…
command-open-the-demo = Ouvrir la démonstration
command-open-session = Ouvrir une session…
command-own-file-browser = Choix de fichiers de Stepback
command-save-session-as = Enregistrer la session sous…
command-save-selection-as-a-trace = Enregistrer la sélection comme trace…
command-save-picture = Enregistrer une image…
command-add-image = Ajouter une image…
command-add-directory-of-images = Ajouter un dossier d’images…
command-map-sources = Situer les sources…
command-forget-source-directories = Oublier les dossiers de sources
command-reload = Recharger
command-follow = Suivre
command-cancel-indexing = Interrompre l’indexation
command-continue-indexing = Reprendre l’indexation
command-close-trace = Fermer la trace
command-clear-recent-list = Vider la liste des récents
command-quit = Quitter
command-undo = Annuler
command-redo = Rétablir
command-copy-position = Copier la position
command-copy-cell-name = Copier le nom de la cellule
command-find = Rechercher…
command-find-next = Résultat suivant
command-find-previous = Résultat précédent
command-find-more-hits = Chercher d’autres résultats
command-keep-search-as = Garder la recherche sous…
command-run-search = Relancer une recherche…
command-search-in-a-panel-of-its-own = Recherche dans un panneau à part…
command-rename-search = Renommer une recherche…
command-forget-search = Oublier une recherche…
command-only-hits = Résultats seuls
command-steps-around-hits = Pas autour des résultats…
command-clear-hits = Effacer les résultats
command-settings = Paramètres…
command-change-keys = Changer des touches…
command-import-keys = Importer des touches…
command-export-keys = Exporter les touches…
command-reset-keys = Rétablir les touches
command-theme-colour-blind-dark = Thème sombre pour daltoniens
command-theme-colour-blind-light = Thème clair pour daltoniens
command-go-to = Aller à…
command-go-to-start = Aller au début
command-go-to-end = Aller à la fin
command-back-in-history = Position précédente de l’historique
command-forward-in-history = Position suivante de l’historique
command-last-write = Dernière écriture
command-next-write = Prochaine écriture
command-last-read = Dernière lecture
command-next-read = Prochaine lecture
command-last-external-change = Dernière modification externe
command-next-external-change = Prochaine modification externe
command-next-exception = Exception suivante
command-previous-exception = Exception précédente
command-next-call-of-function = Prochain appel de la fonction
command-previous-call-of-function = Appel précédent de la fonction
command-all-values = Toutes les valeurs…
command-stop-looking = Arrêter de chercher
command-all-executions = Toutes les exécutions…
command-next-execution-of-line = Prochaine exécution de la ligne…
command-last-execution-of-line = Dernière exécution de la ligne…
command-step = Avancer d’un pas
command-step-back = Reculer d’un pas
command-step-over = Avancer par-dessus l’appel
command-step-back-over = Reculer par-dessus l’appel
command-step-out = Sortir de l’appel
command-step-back-out = Sortir de l’appel en arrière
command-step-to-next-line = Avancer à la ligne suivante
command-step-to-previous-line = Reculer à la ligne précédente
command-step-into-next-line = Entrer dans la ligne suivante
command-step-back-into-line = Entrer en arrière dans la ligne
command-next-execution-of-this-step = Prochaine exécution de ce pas
command-previous-execution-of-this-step = Exécution précédente de ce pas
command-next-where = Prochain endroit où…
command-previous-where = Endroit précédent où…
command-next-step-of-thread = Pas suivant du thread
command-previous-step-of-thread = Pas précédent du thread
command-stay-in-thread = Rester dans le thread
command-next-row = Ligne suivante
command-previous-row = Ligne précédente
command-next-page = Page suivante
command-previous-page = Page précédente
command-fold-call = Plier l’appel
command-unfold-call = Déplier l’appel
command-fold-calls-inside = Plier les appels intérieurs
command-unfold-calls-inside = Déplier les appels intérieurs
command-fold-all = Tout plier
command-unfold-all = Tout déplier
command-fold-window-spills-and-fills = Plier les sauvegardes et rappels de fenêtres
command-raw-text = Texte brut
command-source-lines-in-rows = Lignes de source dans la trace
command-watch = Espionner…
command-waveform = Forme d’onde…
command-show-memory = Afficher la mémoire à…
command-registers-core = Registres de base
command-registers-single-precision = Registres simple précision
command-registers-double-precision = Registres double précision
command-registers-vector = Registres vectoriels
command-registers-sve = Registres SVE
command-registers-system = Registres système
command-register-lanes = Voies des registres…
command-registers-as-hex = Registres en hexadécimal
command-registers-as-unsigned = Registres sans signe
command-registers-as-signed = Registres avec signe
command-registers-as-floating-point = Registres en virgule flottante
command-registers-as-text = Registres en texte
command-lower-halves-of-registers = Moitiés basses des registres
command-filter-registers = Filtrer les registres…
command-functions-of-the-selection = Fonctions de la sélection
command-functions-of-the-whole-trace = Fonctions de toute la trace
command-flame-graph-by-steps = Graphe de flammes en pas
command-flame-graph-by-time = Graphe de flammes en temps
command-timeline-calls = Chronologie : appels
command-timeline-threads = Chronologie : threads
command-timeline-cores = Chronologie : cœurs
command-timeline-calls-and-threads = Chronologie : appels et threads
command-timeline-calls-and-cores = Chronologie : appels et cœurs
command-timeline-without-waveforms = Chronologie sans formes d’onde
command-timeline-call-around-the-position = Chronologie : l’appel autour de la position
command-timeline-whole-trace = Chronologie : toute la trace
command-timeline-to-the-position = Chronologie : à la position
command-timeline-to-the-selection = Chronologie : à la sélection
command-memory-by-1-byte = Mémoire par octet
command-memory-by-2-bytes = Mémoire par 2 octets
command-memory-by-4-bytes = Mémoire par 4 octets
command-memory-by-8-bytes = Mémoire par 8 octets
command-memory-rows-as-wide-as-there-is-room = Lignes de mémoire aussi larges que possible
command-memory-rows-of-8-bytes = Lignes de mémoire de 8 octets
command-memory-rows-of-16-bytes = Lignes de mémoire de 16 octets
command-memory-rows-of-32-bytes = Lignes de mémoire de 32 octets
command-memory-rows-of-64-bytes = Lignes de mémoire de 64 octets
command-memory-as-floating-point = Mémoire en virgule flottante
command-memory-text-as-ascii = Texte de la mémoire en ASCII
command-memory-text-as-utf-8 = Texte de la mémoire en UTF-8
command-memory-compared-in-place = Mémoire comparée sur place
command-next-changed-byte = Octet modifié suivant
command-previous-changed-byte = Octet modifié précédent
command-find-in-memory = Rechercher dans la mémoire…
command-find-next-in-memory = Résultat suivant dans la mémoire
command-find-previous-in-memory = Résultat précédent dans la mémoire
command-close-messages = Fermer les messages
command-indexing-card = Fiche d’indexation
command-theme-dark = Thème sombre
command-theme-light = Thème clair
command-theme-system = Thème du système
command-language-system = Langue du système
command-language-english = Langue : anglais (English)
command-language-french = Langue : français
command-larger-text = Agrandir le texte
command-smaller-text = Réduire le texte
command-normal-text = Taille normale du texte
command-bookmark = Poser un signet
command-bookmark-selection = Poser un signet sur la sélection
command-bookmark-memory = Poser un signet en mémoire…
command-note = Annoter…
command-next-bookmark = Signet suivant
command-previous-bookmark = Signet précédent
command-delete-all-bookmarks = Supprimer tous les signets
command-colour-yellow = Couleur jaune
command-colour-red = Couleur rouge
command-colour-green = Couleur verte
command-colour-blue = Couleur bleue
command-colour-pink = Couleur rose
command-colour-grey = Couleur grise
command-new-trace-window = Nouvelle fenêtre de trace
command-side-by-side = Côte à côte
command-windows-move-together = Déplacer les fenêtres ensemble
command-compare = Comparer
command-compare-with = Comparer avec…
command-compare-before-and-after-this-call = Comparer avant et après cet appel
command-show-trace = Afficher la trace
command-show-registers = Afficher les registres
command-show-memory-panel = Afficher la mémoire
command-show-calls = Afficher les appels
command-show-comparison = Afficher la comparaison
command-show-warnings = Afficher les avertissements
command-show-stack = Afficher la pile
command-show-external-changes = Afficher les modifications externes
command-show-source = Afficher le source
command-show-threads = Afficher les threads
command-show-accesses = Afficher les accès
command-show-watches = Afficher les espions
command-show-heap = Afficher le tas
command-show-regions-of-memory = Afficher les régions de la mémoire
command-show-stack-memory = Afficher la mémoire de la pile
command-show-heat = Afficher les zones chaudes
command-show-functions = Afficher les fonctions
command-show-flame-graph = Afficher le graphe de flammes
command-show-findings = Afficher les constats
command-show-hits = Afficher les résultats
command-show-bookmarks = Afficher les signets
command-new-registers-panel = Nouveau panneau de registres
command-new-memory-panel = Nouveau panneau de mémoire
command-new-calls-panel = Nouveau panneau d’appels
command-new-stack-panel = Nouveau panneau de pile
command-new-source-panel = Nouveau panneau de source
command-new-watches-panel = Nouveau panneau d’espions
command-next-panel = Panneau suivant
command-previous-panel = Panneau précédent
command-pin-panel-here = Épingler le panneau ici
command-panel-follows-window = Faire suivre une fenêtre au panneau…
command-panel-shows-thread = Montrer un thread dans le panneau…
command-duplicate-panel = Dupliquer le panneau
command-move-panel-to-its-own-window = Mettre le panneau dans sa propre fenêtre
command-put-panels-back = Remettre les panneaux en place
command-close-panel = Fermer le panneau
command-layout-debug = Disposition Débogage
command-layout-compare = Disposition Comparaison
command-layout-profile = Disposition Profil
command-layout-source = Disposition Source
command-use-layout = Prendre une disposition…
command-save-layout-as = Enregistrer la disposition sous…
command-forget-layout = Oublier une disposition…
command-reset-layout = Rétablir la disposition d’origine
command-trace-window-1 = Fenêtre de trace 1
command-trace-window-2 = Fenêtre de trace 2
command-trace-window-3 = Fenêtre de trace 3
command-trace-window-4 = Fenêtre de trace 4
command-commands = Commandes…
command-keys = Touches
command-about-stepback = À propos de Stepback
area-file = Fichier
area-edit = Édition
area-go = Aller
area-step = Pas
area-view = Affichage
area-bookmarks = Signets
area-window = Fenêtre
area-help = Aide
ask-path-of-a-trace = Chemin d’une trace
ask-path-of-a-session = Chemin d’une session
ask-path-of-the-file = Chemin du fichier
ask-path-of-the-new-trace = Chemin de la nouvelle trace
ask-path-of-the-picture = Chemin de l’image (PNG)
ask-elf-or-elf-offset = ELF ou ELF@DÉCALAGE
ask-directory-with-the-programs-files = Dossier contenant les fichiers du programme
ask-from-to-a-directory-in = AVANT=ICI, un dossier de l’image et son équivalent ici
ask-step-50-line-n-i = Pas, 50%, line:N, i:N, r:N, time:T, pc:ADRESSE, start ou end
ask-file-line = FICHIER:LIGNE
ask-name-of-the-search = Nom de la recherche
ask-name-of-a-kept-search = Nom d’une recherche gardée
ask-old-name-new-name = ANCIEN NOM = NOUVEAU NOM
ask-steps-around-each-hit = Pas montrés avant et après chaque résultat : 0, 1, 3, 10
ask-name-of-a-thread-or = Nom d’un thread, ou rien pour celui de la position
ask-address-numbers-registers-symbols = Adresse : nombres, registres, symboles
ask-a-part-of-the-name = Une partie du nom, ou - pour tous
ask-bytes-a-number-or-a-text = Octets (67 64 62), un nombre ou un texte
ask-name-of-the-bookmark = Nom du signet
ask-address-length-and-a-name = ADRESSE:LONGUEUR et un nom
ask-note-of-the-positions-bookmark = Note du signet de la position
ask-step-at-which-it-opens = Pas où elle s’ouvre
ask-step-function-address-50-100 = Pas, fonction, adresse, 50%, +100 : comme pour Aller à
ask-number-of-a-trace-window = Numéro d’une fenêtre de trace, ou « active »
ask-name-of-a-thread-or-for = Nom d’un thread, ou - pour celui de la position
ask-name-of-a-layout = Nom d’une disposition
ask-name-of-the-layout = Nom de la disposition
ask-name-of-a-layout-of = Nom d’une de vos dispositions
keys-move-the-cursor = Déplacer le curseur
keys-first-last = Première, dernière ligne ; Home et End seuls parcourent la trace
keys-last-write-travel = Dernière écriture ; s’y rendre
keys-next-write = Prochaine écriture
keys-previous-next-change-of-a = Changement précédent, suivant d’un espion
keys-show-memory-at-the-value = Afficher la mémoire à la valeur
keys-follow-the-address-expression = Suivre l’expression d’adresse
keys-compare-memory = Comparer la mémoire avec une autre position
keys-next-previous-changed-byte = Octet modifié suivant, précédent
keys-another-group-of-registers = Autre groupe de registres
keys-read-register-lanes-in-another = Lire les voies autrement
keys-last-write-of-so-many = Dernière écriture de tant d’octets
keys-rename-a-bookmark = Renommer un signet
keys-note-of-a-bookmark = Note d’un signet
keys-delete-a-bookmark = Supprimer un signet
keys-zoom-the-flame-graph-out = Agrandir le graphe de flammes ; réduire
keys-copy = Copier
keys-click = Clic
keys-travel-there = s’y rendre
keys-wheel = Molette
keys-zoom = agrandir ou réduire
keys-shift-wheel-middle-drag = Maj+molette, glisser au milieu
keys-move-in-time = se déplacer dans le temps
keys-alt-wheel-wheel-over-names = Alt+molette, molette sur les noms
keys-scroll-depths = faire défiler les niveaux
keys-double-click = Double-clic
keys-zoom-to-a-call-or = cadrer un appel, ou tout
keys-shift-drag = Maj+glisser
keys-select-a-range = sélectionner un intervalle
keys-right-click = Clic droit
keys-what-can-be-done = ce qu’on peut faire
ask-register-or-address-length = Registre, ou ADRESSE:LONGUEUR
ask-hex-unsigned-signed-or-float = hex, unsigned, signed ou float, et les bits d’une voie : hex 32
ask-core-single-double-vector-sve = core, single, double, vector, sve ou system
ask-address-length-or-nothing-for = ADRESSE:LONGUEUR, ou rien pour toute la mémoire
ask-word-regex-0x1f-address-length = Mot, /regex/, 0x1f, ADRESSE:LONGUEUR, fonction ; ou value: bytes: pc: access: et quoi
ask-name-of-a-function-or = Nom d’une fonction, ou son adresse avec 0x ; rien pour celle choisie
ask-condition-x0-0-u8-sp = Condition : x0 == 0, u8[sp+8] > 7, pc == main && x1 != 0
ask-register-address-or-sum-and = Registre, [adresse] ou somme, et un type : [sp+8] u32, nom utf8
ask-address-function-offset-or-file = Adresse, fonction+décalage, ou FICHIER:LIGNE
ask-address-length-or-address-length = ADRESSE:LONGUEUR, ou ADRESSE:LONGUEUR of THREAD
line-there-is-no-command = il n’y a pas de commande { $line }
line-needs-an-open-trace = { $command } demande une trace ouverte
line-is-not-possible-here = { $command } n’est pas possible ici
line-needs-an-argument = { $command } demande un argument : { $question }
line-takes-no-argument-but-follows = { $command } ne prend pas d’argument, mais { $argument } la suit
line-not-a-number-of-bytes = ce n’est pas un nombre d’octets : { $length }
line-not-an-address-in-hex = ce n’est pas une adresse hexadécimale : { $text }
line-no-trace-is-open = aucune trace n’est ouverte
line-a-source-line-is-given = une ligne de source se donne comme FICHIER:LIGNE, non comme { $text }
line-is-no-way-to-read = { $text } n’est pas une façon de lire les voies : { $ways }
line-is-no-group = { $text } n’est pas un groupe de registres ; il y a { $groups }
line-is-no-step-number = { $text } n’est pas un numéro de pas
line-no-panel-has-the-keyboard = aucun panneau n’a le clavier
line-is-neither-active-nor-the = { $text } n’est ni « active » ni le numéro d’une fenêtre de trace
line-the-length-after-the-colon = la longueur après les deux-points doit être un nombre supérieur à 0 : { $text }

## menus

menu-theme = Thème
menu-language = Langue (Language)
menu-memory-by = Mémoire par
menu-registers = Registres
menu-timeline = Chronologie
menu-functions = Fonctions
menu-flame-graph = Graphe de flammes
menu-colour = Couleur
menu-layout = Disposition
menu-recent = Récents
menu-trace-window-at = Fenêtre de trace { $number } au pas { $position }
menu-indexing = indexation
line-of-cell = { $command } de { $cell }
palette-type-a-command = Tapez une commande
palette-in-the-trace = Dans la trace
palette-recent = Récentes
key-enter = Entrée
palette-command = Commande
palette-no-command-fits-try-a = Aucune commande ne convient. Essayez un mot de son nom, ou un numéro de pas.
palette-enter-run-esc-back = Entrée exécuter   Échap revenir
palette-choose-enter-run-tab-argument = ↑ ↓ choisir   Entrée exécuter   Tab argument   Échap fermer
palette-of-commands = { $shown } commandes sur { $all }
page-keys = Touches
page-close-page = Fermer la page
page-keys-in-grey-belong-to = Les touches en gris sont celles du panneau qui a le clavier ; F6 le donne au panneau suivant.
page-in-registers-memory-calls-and = Dans les registres, la mémoire, les appels et les listes
page-in-the-timeline = Dans la chronologie
page-key-said = { $command } : { $keys }
page-or = { " " }ou{ " " }
page-about-stepback = À propos de Stepback
page-a-time-travel-debugger-for = Un débogueur à remonter le temps pour traces d’instructions enregistrées.
page-nothing-is-executed-again-every = Rien n’est réexécuté : chaque réponse est lue dans la trace, qui n’est jamais modifiée.
page-licence-mit-or-apache-2 = Licence : MIT ou Apache-2.0.
page-faces-inter-and-jetbrains-mono = Polices : Inter et JetBrains Mono (OFL-1.1) ; icônes : Phosphor (MIT).

## keys

key-shift = Maj
key-left = Gauche
key-right = Droite
key-up = Haut
key-down = Bas
key-arrows = Flèches
key-pageup = PgPréc
key-pagedown = PgSuiv
key-home = Début
key-end = Fin
key-delete = Suppr
key-backspace = Retour
key-space = Espace
key-escape = Échap

## tl

timeline-what-is-shown = Ce que montre la chronologie : les appels, ou quel thread a tourné sur quel cœur et quand

## files

files-close = Fermer le choix de fichiers
files-above = Dossier parent
files-above-key = Dossier parent   Retour arrière
files-path = Chemin
files-hide = Masquer les fichiers cachés
files-show = Montrer les fichiers cachés
files-part-hint = Tapez une partie d’un nom
files-part = Partie d’un nom
files-choose-another = Choisissez un autre endroit, ou tapez un chemin.
files-reading = Lecture…
files-empty = Ce dossier est vide
files-all-hidden = Tous les fichiers sont cachés ici : Ctrl+H les montre
files-none-so = Rien ne porte ce nom ici
files-name = Nom du fichier
files-overwrite = Remplacer
files-choose-folder = Choisir ce dossier
files-save = Enregistrer
files-open = Ouvrir
files-cancel = Annuler
files-size = Taille
files-changed = Modifié
files-name-label = Nom
files-is-there = { $name } existe déjà. Le remplacer ?
files-folder = dossier { $name }
files-trace = { $name }, trace { $format }
files-chosen = { $number } choisis, à ouvrir comme une seule trace
files-shown-of-first = { $shown } des { $all } premières entrées
files-entries = { $all ->
    [one] { $all } entrée
   *[other] { $all } entrées
}
files-shown-of = { $shown } sur { $all } entrées
files-nothing-begins-so = rien ne commence ainsi : { $text }
files-folder-wanted = il faut un dossier, et ceci est un fichier : { $name }
files-name-wanted = il faut un nom
files-home = Dossier personnel
files-of-trace = Dossier de la trace
files-working = Dossier de travail
files-system = Système entier
files-dialog-is-open = Un choix de fichiers est déjà ouvert, ou n’a pas encore répondu
files-traces-inside = { $number ->
    [one] { $number } trace se trouve
   *[other] { $number } traces se trouvent
} dans ce dossier, qui n’en est pas une lui-même : choisissez.
files-no-dialog = Aucun choix de fichiers du bureau ne répond ici
files-own-instead = Celui de Stepback sert jusqu’à la fin du programme.
files-open-trace = Ouvrir une trace
files-open-directory = Ouvrir un dossier qui contient une trace
files-sysroot = Dossier des fichiers du programme
files-add-image = Ajouter une image du programme
files-open-session = Ouvrir une session
files-where-is-trace = Où est la trace de la session ?
files-save-session = Enregistrer la session
files-save-part = Enregistrer la sélection comme trace
files-save-picture = Enregistrer une image de la fenêtre
files-locate = Situer { $name }
files-save-name = Enregistrer { $name }

## settings

ask-keys = Commande = Ctrl+F5, N ; rien après = retire ses touches
ask-path-of-keys = Chemin d’un fichier de touches
files-import-keys = Reprendre des touches
settings-title = Paramètres
settings-look = Apparence et fichiers
settings-system = Comme le système
settings-dark = Sombre
settings-light = Clair
settings-safe-dark = Pour daltoniens, sombre
settings-safe-light = Pour daltoniens, clair
settings-of-system = Celle du système
settings-size = Taille des textes
settings-smaller = Plus petit
settings-normal = Normal
settings-larger = Plus grand
settings-now = { $percent } % actuellement
settings-more = Trace et fichiers
settings-row-lines = Les lignes de la trace indiquent leurs lignes de source
settings-own-browser = Toujours choisir les fichiers avec Stepback
settings-place = Conservés dans { $path }, modifiable à la main.
settings-copy-path = Copier le chemin
settings-filter = Commande ou touche
settings-import = Importer…
settings-export = Exporter…
settings-reset-all = Tout rétablir
settings-no-command = Aucune commande n’a ces mots. Essayez une partie de son nom, ou une touche.
settings-how = « Changer » donne à une commande la prochaine touche. Ctrl+C, Ctrl+X et Ctrl+V restent au presse-papiers.
settings-press = Appuyez sur la touche pour « { $command } », ou Échap
settings-conflict = { $key } désigne « { $command } ».
settings-take = La reprendre
settings-leave = La laisser
settings-change = Changer
settings-change-of = Changer la touche de { $command }
settings-add = Ajouter
settings-add-of = Ajouter une touche à { $command }
settings-remove = Retirer
settings-remove-of = Retirer les touches de { $command }
settings-reset = Rétablir
settings-reset-of = Rétablir les touches de { $command }
settings-imported = Les touches sont reprises
toasts-more = { $number } de plus
toasts-close-all = Tout fermer

## tabs and windows

page-mouse = À la souris
keys-middle-or-ctrl-click = Clic du milieu, Ctrl+clic
keys-open-a-window-there = y ouvrir une fenêtre de trace
keys-middle-click-tab = Clic du milieu sur un onglet
keys-close-the-panel = fermer le panneau
keys-drag-tab = Glisser un onglet
keys-move-the-panel = déplacer le panneau
keys-drop-files = Déposer des fichiers
keys-open-them = les ouvrir
strip-more = { $number } de plus
strip-more-said = { $number } panneaux de plus
strip-tear-off = Mettre dans sa propre fenêtre
strip-put-back = Remettre en place
torn-title = { $panel } – { $trace }
torn-last = Le dernier panneau reste dans la fenêtre principale
