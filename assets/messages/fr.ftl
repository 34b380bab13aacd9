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
# Une commande est à l’infinitif. Une espace fine insécable groupe les milliers ; un nombre copié se relit.
# Devant « : ; ? ! » et dans les guillemets, l’espace est insécable.

## commands names

command-open = Ouvrir…
command-open-directory = Ouvrir un dossier…
command-open-the-demo = Ouvrir la démonstration
command-open-session = Ouvrir une session…
command-built-in-file-browser = Sélecteur de fichiers intégré
command-save-session = Enregistrer la session
command-save-session-as = Enregistrer la session sous…
command-save-selection-as-a-trace = Enregistrer la sélection comme trace…
command-save-picture = Enregistrer une capture…
command-add-image = Ajouter un programme…
command-add-directory-of-images = Ajouter un dossier de programmes…
command-map-sources = Situer les sources…
command-forget-source-directories = Oublier les dossiers de sources
command-reload = Recharger
command-compare-with-trace = Comparer avec une trace…
command-compare-by-rules = Comparer selon des règles…
command-sync-other-programs = Synchroniser d’autres programmes
command-serve-to-gdb = Servir à gdb
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
command-save-search-as = Enregistrer la recherche sous…
command-run-search = Relancer une recherche…
command-search-in-a-new-panel = Rechercher dans un nouveau panneau…
command-rename-search = Renommer une recherche…
command-delete-search = Supprimer la recherche…
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
command-next-where-new-condition = Prochain endroit où, nouvelle condition…
command-forget-condition = Oublier la condition
command-previous-exception = Exception précédente
command-where-it-went-wrong = Là où tout a mal tourné
command-next-difference = Différence suivante
command-previous-difference = Différence précédente
command-next-call-of-function = Prochain appel de la fonction
command-previous-call-of-function = Appel précédent de la fonction
command-group-accesses-by-call-stack = Grouper les accès par pile d’appels
command-all-values = Toutes les valeurs…
command-cancel-search = Annuler la recherche
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
command-why = Pourquoi…
command-why-this-value = Pourquoi cette valeur
command-show-why-panel = Afficher le pourquoi
command-slice-follows-addresses = La tranche suit les adresses
command-slice-follows-flags = La tranche suit les indicateurs
command-slice-follows-control = La tranche suit le contrôle
command-slice-back-to-where-the-value-comes-from = Tranche en arrière, d’où vient la valeur
command-slice-forward-to-where-the-value-went = Tranche en avant, où la valeur est allée
command-slice-as-a-chain = Tranche en chaîne
command-slice-as-a-tree = Tranche en arbre
command-slice-with-everything = Tranche entière
command-more-of-the-slice = Suite de la tranche
command-only-steps-of-the-slice = Pas de la tranche seuls
command-save-slice-as = Enregistrer la tranche sous…
command-run-slice = Relancer une tranche…
command-slice-in-a-new-panel = Tranche dans un nouveau panneau…
command-rename-slice = Renommer une tranche…
command-delete-slice = Supprimer la tranche…
command-clear-slice = Effacer la tranche
command-watch = Espionner…
command-waveform = Forme d’onde…
command-show-memory = Afficher la mémoire à…
command-register-lanes = Voies des registres…
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
command-zoom-timeline-to-current-call = Cadrer l’appel en cours dans la chronologie
command-timeline-whole-trace = Chronologie : toute la trace
command-timeline-to-the-position = Chronologie : à la position
command-timeline-to-the-selection = Chronologie : à la sélection
command-timeline-without-selection = Chronologie sans sélection
command-find-in-memory = Rechercher dans la mémoire…
command-dismiss-notifications = Fermer les notifications
command-show-indexing-progress = Afficher la progression de l’indexation
command-theme-dark = Thème sombre
command-theme-light = Thème clair
command-theme-system = Thème du système
command-language-system = Langue du système
command-language-english = Langue : anglais (English)
command-language-french = Langue : français
command-larger-text = Agrandir le texte
command-larger-interface-text = Agrandir le texte de l’interface
command-smaller-interface-text = Réduire le texte de l’interface
command-normal-interface-text = Taille normale du texte de l’interface
command-interface-font = Police de l’interface…
command-fixed-width-font = Police à chasse fixe…
command-built-in-interface-font = Police d’interface intégrée
command-built-in-fixed-width-font = Police à chasse fixe intégrée
command-smaller-text = Réduire le texte
command-normal-text = Taille normale du texte
command-bookmark = Poser un signet
command-bookmark-selection = Poser un signet sur la sélection
command-bookmark-memory = Poser un signet en mémoire…
command-note = Annoter…
command-next-bookmark = Signet suivant
command-previous-bookmark = Signet précédent
command-delete-all-bookmarks = Supprimer tous les signets
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
command-show-memory-regions = Afficher les régions de mémoire
command-show-stack-memory = Afficher la mémoire de la pile
command-effects-of-this-call = Effets de cet appel
command-effects-of-this-iteration = Effets de cette itération
command-effects-of-steps = Effets de pas…
command-compare-with-the-previous-call-of-this-function = Comparer avec l’appel précédent de cette fonction
command-compare-with-the-next-call-of-this-function = Comparer avec l’appel suivant de cette fonction
command-compare-with-the-call-at = Comparer avec l’appel à…
command-show-effects = Afficher les effets
command-show-heat = Afficher les zones chaudes
command-show-tasks = Afficher les tâches
command-show-functions = Afficher les fonctions
command-show-flame-graph = Afficher le graphe de flammes
command-show-findings = Afficher les constats
command-show-differences = Afficher les différences
command-show-both-traces = Afficher les deux traces
command-show-state-of-both-traces = Afficher l’état des deux traces
command-show-find-panel = Afficher la recherche
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
command-delete-layout = Supprimer une disposition…
command-reset-layout = Rétablir la disposition d’origine
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
ask-path-of-rules = Chemin d’un fichier de règles (TOML)
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
ask-name-of-the-slice = Nom de la tranche
ask-name-of-a-kept-slice = Nom d’une tranche enregistrée
ask-name-of-a-kept-search = Nom d’une recherche enregistrée
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
keys-first-last = Première, dernière ligne ; Début et Fin seules parcourent la trace
keys-last-write-travel = Dernière écriture ; s’y rendre
keys-next-write = Prochaine écriture
keys-previous-next-change-of-a = Changement précédent, suivant d’un espion
keys-show-memory-at-the-value = Afficher la mémoire à la valeur
keys-follow-the-address-expression = Suivre l’expression d’adresse
keys-compare-memory = Comparer la mémoire avec une autre position
keys-next-previous-changed-byte = Octet modifié suivant, précédent
keys-another-group-of-registers = Autre groupe de registres
keys-read-register-lanes-in-another = Lire les voies autrement
keys-last-write-of-so-many = Dernière écriture de 1, 2, 4 ou 8 octets
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
keys-what-can-be-done = ouvrir le menu contextuel
ask-register-or-address-length = Registre, ou ADRESSE:LONGUEUR
ask-hex-unsigned-signed-or-float = hex, unsigned, signed ou float, et les bits d’une voie : hex 32
ask-core-single-double-vector-sve = core, single, double, vector, sve ou system
ask-address-length-or-nothing-for = ADRESSE:LONGUEUR, ou rien pour toute la mémoire
ask-word-regex-0x1f-address-length = Mot, /regex/, 0x1f, ADRESSE:LONGUEUR, fonction ; ou value: bytes: pc: access: et quoi
ask-name-of-a-function-or = Nom d’une fonction, ou son adresse avec 0x ; rien pour celle choisie
ask-condition-x0-0-u8-sp = Condition : { $first } == 0, u8[sp+8] > 7, pc == main && { $second } != 0
ask-register-address-or-sum-and = Registre, [adresse] ou expression, et un type : [sp+8] u32, nom utf8
ask-address-function-offset-or-file = Adresse, fonction+décalage, ou FICHIER:LIGNE
ask-address-length-or-address-length = ADRESSE:LONGUEUR, ou ADRESSE:LONGUEUR of THREAD
line-quoted = « { $text } »
line-there-is-no-command = il n’y a pas de commande { $line }
line-needs-an-open-trace = { $command } demande une trace ouverte
line-is-not-possible-here = { $command } n’est pas possible ici
command-no-raw-text = le texte brut n’est pas disponible pour ce format
line-needs-an-argument = { $command } demande un argument : { $question }
line-takes-no-argument-but-follows = { $command } ne prend pas d’argument, mais a reçu { $argument }
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
menu-new-panel = Nouveau panneau
menu-panels = Panneaux
menu-folding = Repli
menu-slice = Tranche
menu-memory = Mémoire
menu-registers = Registres
menu-timeline = Chronologie
menu-functions = Fonctions
menu-flame-graph = Graphe de flammes
menu-colour = Couleur
menu-effects = Effets
menu-compare-calls = Comparer des appels
menu-layout = Disposition
menu-recent = Récents
menu-trace-window-at = Fenêtre de trace { $number } à la position { $position }
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
palette-refused = { $command } · { $reason }
palette-of-commands = { $shown ->
    [one] { $shown } commande sur { $all }
   *[other] { $shown } commandes sur { $all }
}
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
key-pgup = PgPréc
key-pgdn = PgSuiv
key-return = Entrée
key-home = Début
key-end = Fin
key-delete = Suppr
key-backspace = Retour
key-space = Espace
key-escape = Échap
key-esc = Échap

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
files-none-so = Aucun nom ne correspond
files-no-such-file = Aucun fichier de ce nom ici. Cherchez dans un autre dossier ou affichez tous les fichiers
files-show-all = Afficher tous les fichiers
files-show-only = Seulement { $name }
files-opens-file = Ouvre { $name }
files-opens-folder = Ouvre la trace dans { $name }
files-shows-folder = Affiche le dossier { $name }
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
files-chosen = { $number ->
    [one] { $number } choisi, à ouvrir comme une trace
   *[other] { $number } choisis, à ouvrir comme une seule trace
}
files-shown-of-first = { $all ->
    [one] { $shown } de la { $all } première entrée
   *[other] { $shown } des { $all } premières entrées
}
files-entries = { $all ->
    [one] { $all } entrée
   *[other] { $all } entrées
}
files-shown-of = { $all ->
    [one] { $shown } sur { $all } entrée
   *[other] { $shown } sur { $all } entrées
}
files-nothing-begins-so = aucun nom ne commence par { $text }
files-folder-wanted = il faut un dossier, et ceci est un fichier : { $name }
files-choose-one = choisissez un fichier
files-name-wanted = il faut un nom
files-home = Dossier personnel
files-of-trace = Dossier de la trace
files-working = Dossier de travail
files-system = Système entier
files-dialog-is-open = Un choix de fichiers est déjà ouvert, ou n’a pas encore répondu
files-traces-inside = Ce dossier contient { $number ->
    [one] { $number } trace
   *[other] { $number } traces
}. Choisissez-en une.
files-no-dialog = Aucun sélecteur de fichiers du système n’a été trouvé
files-own-instead = Le sélecteur intégré est utilisé jusqu’à la fermeture.
files-open-trace = Ouvrir une trace
files-compare-trace = Comparer avec une trace
files-comparison-rules = Règles de la comparaison
sync-on = IDA, Ghidra et Binary Ninja (port { $disassembler }) et Surfer (port { $viewer }) suivent la position
sync-off = Les autres programmes ne suivent plus la position
gdb-on = La trace est servie à gdb (target remote { $address })
gdb-off = La trace n’est plus servie à gdb
gdb-trace-changed = gdb a été déconnecté : une autre trace est affichée. « Servir à gdb » la sert.
gdb-not-built-in = Ce programme n’a pas de serveur pour gdb
gdb-needs-the-whole-trace = gdb a besoin de toute la trace : attendez qu’elle soit indexée
files-open-directory = Ouvrir un dossier qui contient une trace
files-sysroot = Dossier des fichiers du programme
files-add-image = Ajouter un programme
files-open-session = Ouvrir une session
files-where-is-trace = Où est la trace de la session ?
files-save-session = Enregistrer la session
files-save-part = Enregistrer la sélection comme trace
files-save-picture = Enregistrer une capture de la fenêtre
files-locate = Situer { $name }
files-save-name = Enregistrer { $name }

## settings

ask-keys = Commande = Ctrl+F5, N ; rien après = retire ses touches
ask-path-of-font = Chemin d’une police, .ttf ou .otf
ask-path-of-keys = Chemin d’un fichier de touches
files-font = Choisir une police
files-import-keys = Importer des touches
settings-title = Paramètres
settings-look = Apparence et fichiers
settings-system = Comme le système
settings-dark = Sombre
settings-light = Clair
settings-safe-dark = Pour daltoniens, sombre
settings-safe-light = Pour daltoniens, clair
settings-of-system = Comme le système
settings-size = Taille du texte
settings-smaller = Plus petit
settings-normal = Normal
settings-larger = Plus grand
settings-fonts = Polices
settings-built-in = Intégrée
settings-built-in-of = { $font } : intégrée
settings-interface-font = Interface
settings-fixed-width-font = Code et nombres
settings-choose = Choisir…
settings-choose-of = { $font } : choisir une police…
settings-interface-text = Texte de l’interface par rapport au code
settings-interface-smaller = Texte de l’interface plus petit
settings-interface-normal = Texte de l’interface normal
settings-interface-larger = Texte de l’interface plus grand
font-refused = une police ne peut servir, la précédente reste : { $error }
font-not-read = une police est inutilisable, l’intégrée la remplace : { $error }
font-no-font = ce n’est pas une police (.ttf ou .otf)
font-no-letters = elle n’a ni lettres ni chiffres
font-not-fixed-width = ses caractères n’ont pas tous la même largeur
dialog-fonts = Polices
settings-more = Trace et fichiers
settings-row-lines = Afficher les lignes de source dans la trace
settings-own-browser = Toujours utiliser le sélecteur de fichiers intégré
settings-place = Conservés dans { $path }, modifiable à la main.
settings-copy-path = Copier le chemin
settings-filter = Commande ou touche
settings-import = Importer…
settings-export = Exporter…
settings-reset-all = Tout rétablir
settings-no-command = Aucune commande n’a ces mots. Essayez une partie de son nom, ou une touche.
settings-how = Choisissez « Changer », puis pressez la nouvelle touche. Ctrl+C, Ctrl+X et Ctrl+V sont réservés au presse-papiers.
settings-press = Appuyez sur la touche pour « { $command } », ou Échap
settings-conflict = { $key } est déjà « { $command } ».
settings-take = Réattribuer
settings-leave = Annuler
settings-change = Changer
settings-change-of = Changer la touche de « { $command } »
settings-add = Ajouter
settings-add-of = Ajouter une touche à { $command }
settings-remove = Retirer
settings-remove-of = Retirer les touches de { $command }
settings-reset = Rétablir
settings-reset-of = Rétablir les touches de { $command }
settings-put-aside = Le fichier de réglages était illisible ; il est mis de côté : { $path }
settings-imported = Touches importées
toasts-more = { $number } de plus
toasts-close-all = Tout fermer

## tabs and windows

page-mouse = À la souris
keys-middle-or-ctrl-click = Clic du milieu, Ctrl+clic
keys-open-a-window-there = y ouvrir une fenêtre de trace
keys-middle-click-tab = Clic du milieu sur un onglet
keys-close-the-panel = fermer le panneau
keys-drag-tab = Glisser un onglet
keys-move-the-panel = déplacer le panneau, ou le détacher
keys-drop-files = Déposer des fichiers
keys-open-them = les ouvrir
strip-more = { $number } de plus
strip-more-said = { $number ->
    [one] { $number } panneau de plus
   *[other] { $number } panneaux de plus
}
strip-tear-off = Mettre dans sa propre fenêtre
strip-put-back = Remettre en place
torn-title = { $panel } – { $trace }
torn-many = Au plus { $number } panneaux ont leur propre fenêtre
torn-last = Le dernier panneau reste dans la fenêtre principale

## window

banner-none-of-the-programs-files = aucun fichier du programme n’a été trouvé : les fonctions n’ont pas de nom
banner-close-the-note = Fermer la note
banner-give-the-programs-files = Indiquer les fichiers du programme…
lookup-is-called-here = appel de { $function }
lookup-is-called-here-of = appel { $number } sur { $count } de { $function }
lookup-is-not-called-before = aucun appel antérieur de { $function }
lookup-is-not-called-after = aucun appel ultérieur de { $function }
lookup-no-function-is-called = aucune fonction ne s’appelle { $name }
lookup-no-call-is-around = la position n’est dans aucun appel
demo-1-go-to-the-end = 1  Aller à la fin
demo-2-ask-why = 2  Dans Registres, cliquer x2 et demander pourquoi
demo-3-go-to-the-store = 3  Dans Pourquoi, cliquer le pas qui l’a écrit
demo-solved = Résolu : decode_field a écrit au-delà de son tampon, sur le pointeur de fonction qu’appelle dispatch
demo-close-the-hint = Fermer l’indication
demo-a-server-dies-by-an = Un serveur plante sur un pointeur écrasé : qu’est-ce qui l’a écrasé ?
dock-panels = Panneaux
lookup-there-is-no-call-around = la position n’est dans aucun appel
lookup-is-no-address = { $text } n’est pas une adresse
lookup-no-external-before = aucune modification externe antérieure
lookup-no-external-after = aucune modification externe ultérieure
lookup-no-external-of-before = aucune modification externe antérieure de la mémoire en { $address }
lookup-no-external-of-after = aucune modification externe ultérieure de la mémoire en { $address }
dialog-saved = Enregistré : { $path }
dialog-all-files = Tous les fichiers
dialog-traces-of-format = Traces { $format }, même compressées
dialog-nothing-is-done = impossible d’ouvrir un fichier écrit par Stepback : { $path }
dialog-other-name = le fichier ne s’appelle pas { $name } : { $path }
find-find = Rechercher
find-find-in-the-trace = Rechercher dans la trace
goto-forms = Pas, fonction, adresse, fichier:ligne
goto-go-to = Aller à
goto-step-counter = Compteur de pas
goto-steps-done-of-all-click = Pas faits, sur le total. Cliquez pour taper un pas
goto-step = Pas
lookup-no-hit-before = Aucun résultat pour { $text } avant cette position
lookup-no-hit-after = Aucun résultat pour { $text } après cette position
kept-file-missing = un fichier que nomme la session est absent : { $first }
kept-files-missing = { $more ->
    [one] { $first } et { $more } autre fichier que nomme la session sont absents
   *[other] { $first } et { $more } autres fichiers que nomme la session sont absents
}
kept-trace-file-missing = un fichier de la trace de la session est absent : { $file }
layouts-unknown = il n’y a pas de disposition { $name } : il y a { $known }
layouts-this-name-is-taken-choose = ce nom est pris : choisissez-en un autre pour votre disposition
layouts-saved = Disposition enregistrée : { $name }, dans le menu Fenêtre
layouts-forgotten = Disposition supprimée : { $name }
layouts-unread = la disposition { $name } ne peut pas être lue : une autre version de Stepback l’a enregistrée, elle reste telle quelle
layouts-not-own = vous n’avez pas de disposition appelée { $name }
lookup-instruction-before = cette instruction n’est pas exécutée avant cette position
lookup-instruction-after = cette instruction n’est pas exécutée après cette position
lookup-no-line-before = aucune autre ligne de source n’est exécutée avant cette position
lookup-no-line-after = aucune autre ligne de source n’est exécutée après cette position
lookup-no-lines = aucune ligne de source n’est connue : ajoutez une image compilée avec -g
lookup-not-true-before = aucune position antérieure où { $condition }
lookup-not-true-after = aucune position ultérieure où { $condition }
lookup-no-change-before = { $watch } ne change pas avant cette position
lookup-no-change-after = { $watch } ne change pas après cette position
moving-failed = la position n’a pas pu être changée : { $error }
opened-the-trace-could-not-be = La trace n’a pas pu être ouverte
opened-indexing-was-cancelled = L’indexation a été interrompue
opened-opening-was-cancelled = L’ouverture a été interrompue
opened-the-trace-changed = La trace a changé
opened-the-trace-has-grown = La trace a grandi
opened-locate = Indiquer…
opened-say-where = Dites où est { $trace } sur cette machine.
opened-the-trace-of-the-session = La trace de la session n’est pas ici
opened-reload = Recharger
opened-indexing-stopped = L’indexation s’est arrêtée
opened-what-is-shown-belongs-to = Ceci est l’ancienne version du fichier.
opened-follow = Suivre
opened-time-runs-backwards = Le temps va à reculons
opened-lines-not-read = { $count ->
        [one] { $count } ligne n’a pas pu être lue
       *[other] { $count } lignes n’ont pas pu être lues
    }
opened-places-not-read = { $count ->
        [one] { $count } endroit n’a pas pu être lu
       *[other] { $count } endroits n’ont pas pu être lus
    }
opened-first = D’abord : { $warning }.
opened-show-list = Afficher la liste
opening-the-demo = la démonstration
opening-thread-ended = la trace n’a pas pu être ouverte : son thread s’est terminé
part-not-shown = la trace n’a pas pu être affichée jusqu’où elle est indexée : { $error }
start-path-of-a-trace = Chemin d’une trace
moves-nothing-called-this-function-the = Rien n’a appelé cette fonction : la trace y commence
moves-this-function-does-not-return = Cette fonction ne revient pas : la trace s’y termine
moves-no-return-so-far = Cette fonction n’est pas revenue jusqu’ici : { $caveat }
moves-this-thread-has-no-step = Ce thread n’a pas de pas avant cette position
moves-this-thread-has-no-step-after = ce thread n’a pas de pas après cette position
part-advice = Sur la ligne de commande, « list --records » imprime une partie, et le record_filter de DynamoRIO en copie une.
part-shift-drag-in-the-timeline = Maj+glisser dans la chronologie sélectionne un intervalle.
part-nothing-is-selected-in-the = Rien n’est sélectionné dans la chronologie
part-only-a-part-of-a = Seule une partie d’une trace Tarmac peut être enregistrée comme trace
part-only-a-part-of-a-tarmac = seule une partie d’une trace Tarmac peut être enregistrée
part-the-part-is-not-written = impossible d’écraser la trace d’où vient la partie : choisissez un autre fichier
part-saved = { $steps ->
        [one] { $steps } pas enregistré
       *[other] { $steps } pas enregistrés
    } : { $path }
sources-the-source-lines-are-still = les lignes de source sont encore en cours de lecture
start-recent-traces = Traces récentes
start-clear-list = Vider la liste
start-look-up-any-moment-of = Retrouvez n’importe quel moment d’une exécution enregistrée.
start-a-trace-that-consists-of = Une trace faite de plusieurs fichiers, comme DynamoRIO l’écrit
start-what-was-marked-named-and = Signets, noms et disposition enregistrés pour une trace : TRACE.session.toml, même d’une autre machine
start-open = Ouvrir { $name }
start-steps = pas
start-changed-since = modifiée depuis
start-file-not-found = fichier introuvable
start-forget-this-trace = Retirer de la liste
start-drop-a-trace-here-a = Déposez ici une trace, fichier ou dossier, avec son ELF à côté si vous l’avez
start-formats = { $formats } – en clair ou comprimés (.gz, .zst, .xz, .zip, .lz4, .sz)
status-no-trace-open = Aucune trace ouverte
status-where = où { $condition }
status-where-tip = F8 va à la prochaine position où { $condition }. Cliquez pour changer la condition
status-forget-condition = Oublier la condition
status-of = { $position } sur { $end }
status-after-step = Après le pas { $step } · position
status-before-first = Avant le pas 0 · position
status-line = Ligne
status-record = Enregistrement
status-time = Temps
status-thread = Thread
status-in = Dans
status-depth = Niveau
status-warnings = { $count ->
        [one] { $count } avertissement
       *[other] { $count } avertissements
    }
status-lines-that-could-not-be = Lignes qui n’ont pas pu être lues
status-externals = { $count ->
        [one] { $count } modification externe
       *[other] { $count } modifications externes
    }
status-reads-that-differ-from-the = Lectures qui diffèrent de la dernière écriture : quelque chose que la trace ne montre pas a écrit là
status-order-between-threads-is-known = L’ordre entre threads n’est connu qu’à l’horodatage près
status-order-by-timestamps = Ordre par horodatage
status-order-here = { $whole } ; ici { $others }
status-stays-in = Limité à { $thread }
status-steps-of-other-threads-are = Les pas des autres threads sont sautés. Cliquez pour parcourir tous les threads
status-no-symbols = Sans symboles
status-functions-have-no-names = Les fonctions n’ont pas de nom. Ouvrez la trace avec --image ELF, ou placez l’ELF à côté d’elle sous le même nom.
status-symbols = Symboles { $name }{ $more }
status-symbols-come-from = Les symboles viennent de { $paths }
status-the-trace-is-read-as = La trace est lue à mesure qu’elle grandit. Cliquez pour achever son index
status-answers-are-so-far-the = Résultats partiels : le reste de la trace n’est pas indexé
status-go-on = Continuer
status-index-the-rest-of-the = Indexer le reste de la trace
status-stop-finding-tail-calls = Arrêter la recherche des appels terminaux
status-do-without-calls-stay-as = S’en passer : les appels restent tels que la trace seule les montre
status-finding-tail-calls = Recherche des appels terminaux
status-the-call-tree-gains-calls = L’arbre des appels gagne ceux où une fonction finit en sautant à une autre
status-stop-indexing = Arrêter l’indexation
status-cancel-indexing-what-is-indexed = Interrompre l’indexation ; ce qui est indexé est gardé
status-indexing = Indexation
status-show-the-indexing-card = Afficher la progression de l’indexation
stepping-no-thread = la trace n’a pas de thread { $name }, seulement { $known }
timeline-height-of-the-timeline = hauteur de la chronologie
timeline-drag-height-of-the-timeline = Glisser : hauteur de la chronologie ; double-clic : hauteur habituelle
toasts-copy = Copier
toasts-close-message = Fermer le message
watches-full = on ne peut rien espionner de plus : { $error }
watches-the-watch-was-removed = L’espion a été retiré
watches-all-watches-were-removed = Tous les espions ont été retirés
watches-undo = Annuler
summary-threads = { $count } threads
summary-steps = { $what } · { $count } pas
words-1-byte = 1 octet
words-bytes = { $count } octets
words-tb = To
words-gb = Go
words-mb = Mo
words-kb = ko
words-size = { $amount } { $unit }
words-just-now = à l’instant
words-minutes-ago = il y a { $count } min
words-hours-ago = il y a { $count } h
words-yesterday = hier
month-jan = janv.
month-feb = févr.
month-mar = mars
month-apr = avr.
month-may = mai
month-jun = juin
month-jul = juill.
month-aug = août
month-sep = sept.
month-oct = oct.
month-nov = nov.
month-dec = déc.
tabs-at = à la position { $position }
tabs-what-the-panel-follows = ce que suit le panneau
tabs-follows-active = Suit la fenêtre de trace active, pour l’instant { $number }, { $at }
tabs-follows = Suit la fenêtre de trace { $number }, { $at }
tabs-pinned = Épinglé { $at }
tabs-the-active-window = la fenêtre active
tabs-window = la fenêtre { $number }
tabs-this-position-for-good = cette position en permanence
tabs-what-and-click = { $what }
    Clic : { $then }
tabs-panel-menu = menu du panneau { $panel }
tabs-follow-the-active-window = Suivre la fenêtre active
tabs-follow-window = Suivre la fenêtre { $number }
tabs-pin-at = Épingler à la position { $position }
tabs-duplicate = Dupliquer
tabs-close = Fermer
lookup-no-function-no-position = { $text } n’est ni une fonction ni une position. Essayez 1234, 50%, end ou le nom d’une fonction
lookup-is-memory = { $text } n’est pas une position ; l’adresse { $address } est de la mémoire sans code exécuté : tapez-la dans Mémoire ou Accès
lookup-best = { $title } : { $note }
lookup-line-before = la ligne { $line } de { $file } n’est pas exécutée avant cette position
lookup-line-after = la ligne { $line } de { $file } n’est pas exécutée après cette position
lookup-other-thread = c’est { $thread } qui exécute la ligne { $line } ici
lookup-from-line = la valeur de { $cell } vient de la ligne { $line } : avant le premier pas
lookup-read-doubt = lecture de { $cell } : { $doubt }
lookup-write-doubt = écriture de { $cell } : { $doubt }
lookup-not-read-before = aucune lecture de { $cell } avant cette position
lookup-not-read-after = aucune lecture de { $cell } après cette position
lookup-not-written-before = aucune écriture de { $cell } avant cette position
lookup-not-written-after = aucune écriture de { $cell } après cette position
lookup-not-read-between = aucune lecture de { $cell } entre { $from } et { $until }
lookup-not-written-between = aucune écriture de { $cell } entre { $from } et { $until }
lookup-byte-at = l’octet en { $address }
lookup-memory-at = la mémoire en { $address } ({ $length } octets)
lookup-is-no-cell = { $text } n’est ni un registre ni de la mémoire
frame-drop-the-trace-a-file = Déposez la trace, fichier ou dossier, pour l’ouvrir ; deux traces sont comparées
kept-not-kept = Aucun fichier de session ne peut être créé à côté de la trace. Enregistrez la session sous un nom pour la conserver.
kept-what-is-marked-is-not = Les signets ne sont pas enregistrés
kept-the-panels-of-the-session = les panneaux de la session n’ont pas pu être lus : ils sont comme au début, et ce qui est gardé reste tel quel tant que vous n’enregistrez pas la session
kept-save-session-as = Enregistrer la session sous…
kept-session-saved = Session enregistrée : { $path }
kept-elsewhere = Le dossier de la trace n’est pas accessible en écriture. La session est enregistrée dans { $path }.
kept-the-session-made-way = La session précédente de cette trace a été conservée
kept-as = Elle est dans { $path } jusqu’à ce que la suivante la remplace.
kept-open-it-again = La rouvrir
kept-the-session-has-another-place = La session a été enregistrée ailleurs
kept-of-another = { $path } contient la session d’une autre fenêtre ou personne, qui reste telle quelle.
kept-replace-it = La remplacer
kept-the-session-is-not-saved = La session n’est pas enregistrée
marks-full = on ne peut rien marquer de plus : { $error }
marks-the-bookmark-was-deleted = Le signet a été supprimé
marks-the-bookmark-and-its-note = Le signet et sa note ont été supprimés
marks-deleted = { $count ->
        [one] { $count } signet supprimé
       *[other] { $count } signets supprimés
    }
marks-undo = Annuler
marks-drag-with-shift-in-the = Maj+glissez dans la chronologie, puis pressez Maj+B.
marks-no-part-of-the-trace = Aucune sélection dans la chronologie
marks-there-is-no-bookmark-before = Aucun signet antérieur
marks-there-is-no-bookmark-behind = Aucun signet ultérieur
marks-there-is-nothing-to-undo = Il n’y a rien à annuler
marks-there-is-nothing-to-redo = Il n’y a rien à rétablir
apply-no-window = il n’y a pas de fenêtre de trace { $number } : { $count ->
        [one] { $count } est ouverte
       *[other] { $count } sont ouvertes
    }
apply-no-sve = Cette trace n’a pas de registres SVE
apply-no-general = Cette trace n’a pas de registres généraux
apply-no-single = Cette trace n’a pas de registres simple précision
apply-no-double = Cette trace n’a pas de registres double précision
apply-no-vector = Cette trace n’a pas de registres vectoriels
apply-no-system = Cette trace n’a pas de registres système
apply-click-a-register-or-a = Cliquez un registre ou un octet, ou tapez « Dernière écriture x2 » dans la palette.
apply-commands = Commandes
apply-no-cell-is-selected = Aucune cellule n’est sélectionnée
apply-no-cell-is-selected-2 = aucune cellule n’est sélectionnée
apply-the-last-trace-window-stays = La dernière fenêtre de trace ne peut pas être fermée
card-indexing = Indexation de { $name }
card-of = { $done } sur { $total }
card-steps = { $count } pas
card-left = encore { $time } environ
card-the-trace-can-be-read = La trace peut être lue en attendant.
card-the-trace-opens-when-its = La trace s’ouvre dès que sa première partie est indexée.
card-cancel = Annuler
card-hide = Masquer

## panels 1

key-click = clic
key-double-click = double-clic
list-vertical-scroll = défilement vertical
list-loading = Chargement…
list-an-empty-filter = Un filtre vide montre à nouveau toutes les lignes.
list-how-to-find = Appuyez sur / et tapez un texte, une /expression régulière/, un nombre, une adresse, une fonction ou des octets ; ? cherche en arrière.
list-how-to-list-accesses = Choisissez une cellule dans un volet de registres ou de mémoire, puis la commande « Accesses » (:) ; ou « All executions… » pour du code.
row-to-step = au pas { $text }
row-copy = Copier
thread-of-the-position = Thread de la position
thread-thread = thread { $shown }
thread-this-thread-wherever-the-position = Ce thread, où qu’aille la position
thread-the-thread-that-executes-at = Le thread qui exécute à la position
warnings-at-line = avertissement à la ligne { $line }
warnings-message = avertissement : { $message }
warnings-line-head = Ligne { $line }
warnings-travel-to-its-line = Aller à sa ligne
warnings-warnings = Avertissements
warnings-no-warnings = Pas d’avertissement
warnings-all-lines-of-the-trace = Toutes les lignes de la trace ont pu être lues.
warnings-all-records-of-the-trace = Tous les enregistrements de la trace ont pu être lus.
warnings-no-warnings-so-far = Pas d’avertissement jusqu’ici
warnings-all-lines-that-are-indexed = Toutes les lignes indexées ont pu être lues.
warnings-all-records-that-are-indexed = Tous les enregistrements indexés ont pu être lus.
warnings-lines = { $count ->
        [one] { $count } ligne illisible ou douteuse
       *[other] { $count } lignes illisibles ou douteuses
    }
warnings-places = { $count ->
        [one] { $count } endroit illisible ou douteux
       *[other] { $count } endroits illisibles ou douteux
    }
warnings-one-is-listed = d’une seule sorte
warnings-that-differ = de { $count } sortes
bookmarks-bookmark = Poser un signet
bookmarks-bookmark-the-selection = Poser un signet sur la sélection
bookmarks-bookmark-this-memory = Poser un signet sur cette mémoire
bookmarks-rename-bookmark = Renommer le signet…
bookmarks-note = Annoter…
bookmarks-make-yellow = Le mettre en jaune
bookmarks-make-red = Le mettre en rouge
bookmarks-make-green = Le mettre en vert
bookmarks-make-blue = Le mettre en bleu
bookmarks-make-pink = Le mettre en rose
bookmarks-make-grey = Le mettre en gris
bookmarks-delete-bookmark = Supprimer le signet
bookmarks-select-it-in-the-timeline = Le sélectionner dans la chronologie
bookmarks-compare-its-ends = Comparer ses extrémités
bookmarks-show-memory = Afficher la mémoire
bookmarks-list-all-accesses = Lister tous les accès
bookmarks-copy-command-that-opens-it = Copier la commande qui l’ouvre
bookmarks-travel-there = S’y rendre
bookmarks-open-window-there = Y ouvrir une fenêtre
bookmarks-count = { $count ->
        [one] { $count } signet
       *[other] { $count } signets
    }
bookmarks-shown = { $shown } sur { $all }
bookmarks-place = Endroit
bookmarks-name = Nom
bookmarks-note-2 = Note
bookmarks-what-is-there = Contenu
bookmarks-name-of-the-bookmark = Nom du signet
bookmarks-note-of-the-bookmark = Note du signet
bookmarks-bookmarks = Signets
bookmarks-nothing-is-marked = Aucun signet
bookmarks-b-marks-the-position-shift = B pose un signet à la position, Maj+B sur la sélection de la chronologie ; pour la mémoire, voir son menu contextuel.
bookmarks-no-bookmark-holds-the-text = Aucun signet ne contient ce texte
bookmarks-take-something-out-of-the = Raccourcissez le texte du champ ci-dessus.
bookmarks-row = signet { $title }
calls-steps = Pas
calls-elapsed = Écoulé
calls-inside = Appels
calls-position = Position
calls-call = Appel
calls-caller = Appelant
calls-travel-to-its-entry = Aller à son entrée
calls-travel-to-its-end = Aller à sa fin
calls-open-window-at-its-entry = Ouvrir une fenêtre à son entrée
calls-compare-before-and-after-it = Comparer avant et après
calls-close = Fermer
calls-open = Ouvrir
calls-unfold-it-in-the-trace = Le déplier dans la trace
calls-fold-it-in-the-trace = Le plier dans la trace
calls-copy-name = Copier le nom
calls-in = dans { $names }
calls-count = { $count ->
        [one] { $count } appel
       *[other] { $count } appels
    }
calls-in-steps = { $calls } aux pas { $first } – { $last }
calls-list-calls-of-the-whole = Lister les appels de toute la trace
calls-back-to-the-calls-of = Revenir aux appels de toute la trace
calls-calls = Appels
calls-find-a-function = Chercher une fonction
calls-no-such-call = Aucun appel de ce nom
calls-try-a-part-of-the = Essayez une partie du nom d’une fonction.
calls-row-times = appel { $name } ×{ $times }
calls-row = appel { $name }
calls-called-by = { $name }({ $arguments }), appelée par { $caller }
calls-close-row = fermer { $name }
calls-open-row = ouvrir { $name }
calls-more = … { $count } de plus
calls-more-2 = … suite
compare-swap-sides = Échanger les côtés
compare-filter-cells = Filtrer les cellules
compare-side = comparer { $side } : fenêtre { $number }
compare-window-at = Fenêtre { $number } à la position { $position }
compare-the-two-positions-are-the = Les deux positions sont identiques
compare-move-one-of-the-windows = Déplacez l’une des fenêtres pour comparer.
compare-compare = Comparaison
compare-nothing-to-compare-yet = Rien à comparer pour l’instant
compare-open-a-second-trace-window = Ouvrez une deuxième fenêtre de trace : Côte à côte (Ctrl+B).
compare-before = avant
compare-after = après
compare-cell = Cellule
compare-last-written-by = Dernière écriture par
compare-means = Signification
compare-meant = { $side } (W)
compare-instruction = Instruction
compare-source = Source
compare-writes-between = Écritures entre
compare-head = fenêtre { $first } { $left }, fenêtre { $second } { $right }
compare-close-group = fermer le groupe { $title }
compare-open-group = ouvrir le groupe { $title }
compare-difference = différence { $cell }
compare-no-step = aucun pas
compare-travel-to-its-last-write = Aller à sa dernière écriture
compare-open-window-there = Y ouvrir une fenêtre
compare-next-write = Prochaine écriture
compare-show-memory-there = Y afficher la mémoire
compare-show-memory-at = Afficher la mémoire à { $symbol }
compare-copy-value-at-the-left = Copier la valeur de gauche
compare-copy-value-at-the-right = Copier la valeur de droite
compare-copy-as-text = Copier en texte
externals-list-from-the-position = Lister depuis la position
externals-list-from-the-start = Lister depuis le début
externals-reads = { $count ->
        [one] { $count } lecture
       *[other] { $count } lectures
    }
externals-head = { $reads } { $count ->
        [one] diffère
       *[other] diffèrent
    } de ce que la dernière écriture a laissé : DMA, périphérique, appel système
externals-from = { $summary } ; à partir du pas { $step }
externals-no-external-change-from-there = Aucune modification externe à partir de là
externals-list-from-the-start-of = Listez plutôt depuis le début de la trace.
externals-more = … suite
externals-external-changes = Modifications externes
externals-no-external-changes = Aucune modification externe
externals-every-read-agrees-with-the = Chaque lecture renvoie la dernière valeur écrite.
externals-no-values = Ce format n’enregistre pas de valeurs : lectures et écritures ne peuvent être comparées.
externals-not-recorded = Les modifications externes ne sont pas enregistrées
externals-step = Pas
externals-address = Adresse
externals-was = Était
externals-read = Lu
externals-symbol = Symbole
externals-row = modification externe au pas { $step }
externals-travel-to-the-read = Aller à la lecture
findings-checking-the-trace = Vérification de la trace…
findings-progress = Vérification de la trace… { $share } %
findings-cancel = Annuler
findings-the-trace-is-not-checked = La trace n’a pas été vérifiée
findings-enter-goes-through-all-of = Entrée la parcourt toute et liste ce qui enfreint une règle.
findings-check = Vérifier
findings-no-findings = Aucun constat
findings-the-trace-keeps-the-rules = La trace est bien formée et cohérente.
findings-findings = Constats
findings-travel-to-it = S’y rendre
findings-copy = Copier
differences-differences = Différences
differences-both-traces = Deux traces
differences-side-by-side = Les deux côte à côte
differences-ignored = Ignoré
differences-ignored-values = { $count ->
    [one] { $count } valeur
   *[other] { $count } valeurs
}
differences-ignored-computed = { $count ->
    [one] { $count } valeur calculée
   *[other] { $count } valeurs calculées
}
differences-ignored-steps = { $count ->
    [one] { $count } pas sans pendant
   *[other] { $count } pas sans pendants
}
differences-counters = compteurs
differences-ignore = Ignorer { $name }
differences-count = Ne plus ignorer { $name }
differences-no-second-trace = Pas de seconde trace
differences-choose = « Comparer avec une trace… » choisit une seconde trace
differences-waiting = En attente de l’indexation de la trace
differences-opening = Ouverture de { $name } : { $share } %
differences-comparing = Comparaison avec { $name } : { $share } %
differences-none-after = Aucune différence après cette position
differences-none-before = Aucune différence avant cette position
differences-head-difference = Différence
both-states-both-states = État des deux traces
both-states-head-cell = Registre ou mémoire
both-states-head-relation = Relation
both-states-different = diffère
both-states-same-pointers = même objet
both-states-equal = égal
both-states-summary = { $count ->
    [0] Rien ne diffère
    [one] { $count } valeur diffère
   *[other] { $count } valeurs diffèrent
}, B à { $position }
differences-head-state-a = Dans A
differences-head-state-b = Dans B
differences-head-in-a = Pas dans A
differences-head-count-a = Nombre dans A
differences-head-in-b = Pas dans B
differences-head-count-b = Nombre dans B
differences-head-values = Valeurs
differences-equal = { $count ->
        [one] Égale à { $name } : { $count } pas
       *[other] Égale à { $name } : { $count } pas
    }
differences-matched = { $count ->
        [one] B est { $name } : { $count } pas correspond
       *[other] B est { $name } : { $count } pas correspondent
    }
differences-steps-differ = { $count ->
        [one] { $count } pas avec d’autres valeurs
       *[other] { $count } pas avec d’autres valeurs
    }
differences-regions = { $count ->
        [one] { $count } région sans partenaire
       *[other] { $count } régions sans partenaire
    }
differences-threads = { $count ->
        [one] { $count } thread seulement dans { $side }
       *[other] { $count } threads seulement dans { $side }
    }
differences-first-divergence = Première divergence
differences-first-value = Première autre valeur
differences-cause = Cause
differences-then = puis
differences-before-first-step = Avant le premier pas
differences-same = Mêmes pas
differences-other-steps = Autres pas
differences-only-in-a = Seulement dans A
differences-only-in-b = Seulement dans B
differences-not-aligned = Non alignés (trop longs et trop différents)
differences-same-values = mêmes valeurs
differences-before-step = avant { $step }
differences-goes-to = A va à { $a }, B à { $b }
differences-the-end = la fin
differences-chain = { $count ->
        [one] { $count } pas avec d’autres valeurs mène à la divergence
       *[other] { $count } pas avec d’autres valeurs mènent à la divergence
    }
differences-nothing-after = rien ne diffère ensuite
differences-heals = { $count ->
        [one] { $count } valeur diffère ensuite, puis se rétablit
       *[other] { $count } valeurs diffèrent ensuite, puis se rétablissent
    }
differences-after = { $count ->
        [one] { $count } valeur diffère ensuite
       *[other] { $count } valeurs diffèrent ensuite
    }
differences-not-compared-after = les valeurs qui suivent ne sont pas comparées
differences-rows-left = { $count ->
        [one] { $count } ligne n'est pas affichée
       *[other] { $count } lignes ne sont pas affichées
    }
differences-more = { $count ->
        [one] { $count } de plus
       *[other] { $count } de plus
    }
differences-cell = { $place } : { $a } dans A, { $b } dans B
differences-instruction = instruction à { $place }
differences-condition = condition à { $place }
differences-read-address = adresse lue
differences-read = lecture à { $place }
differences-write-address = adresse écrite
differences-write = écriture à { $place }
differences-executed = exécutée
differences-not-executed = non exécutée
differences-not-recorded = non enregistrée
differences-exception-in-a = A prend une exception
differences-exception-in-b = B prend une exception
differences-cause-not-recorded = aucune valeur enregistrée différente n’y mène
differences-origin-instruction = l’instruction est une autre
differences-origin-result = le résultat diffère, les entrées enregistrées non
differences-origin-unrecorded-result = son résultat n’est pas enregistré
differences-origin-register-initial = { $place } diffère avant le premier pas
differences-origin-register-unknown = { $place } avant le premier pas n’est pas enregistré
differences-origin-memory = elle lit de la mémoire, qui n’est pas enregistrée
differences-origin-system-call = l’appel système a renvoyé autre chose
differences-origin-ignored = une valeur lue diffère, ce qu’une règle ignore
differences-origin-unknown = sa raison n’est pas enregistrée
differences-origin-initial = la valeur à { $place } était là avant le début de la trace
differences-origin-image = la valeur à { $place } est celle de l’image
differences-origin-external = la valeur à { $place } a été écrite de l’extérieur
differences-origin-system = la valeur à { $place } a été fournie par le système
differences-origin-thread = la valeur à { $place } a été écrite par le pas { $step } de { $thread }
differences-origin-limit = la recherche s’est arrêtée ici ; des pas antérieurs peuvent différer
differences-origin-unrecorded = la valeur à { $place } vient d’une écriture non enregistrée
list-escape-cancels = Échap annule
functions-functions-of = fonctions de : { $shown }
functions-shift-drag-in-the-timeline = Maj+glisser dans la chronologie sélectionne un intervalle : ses extrémités coupent les appels
functions-whole-trace = Toute la trace
functions-selected-range = Intervalle sélectionné
functions-working = Calcul en cours : { $share } %
functions-stop = Arrêter
functions-go-on = Continuer
functions-the-functions-were-not-worked = Le calcul a été arrêté
functions-go-on-above-begins-again = « Continuer », ci-dessus, recommence.
functions-looking-at-all-calls = Parcours de tous les appels…
functions-escape-or-stop-gives-it = Échap ou « Arrêter » pour annuler.
flame-find-in-the-graph = Chercher dans le graphe
flame-zoom-out-backspace = Réduire   Retour
flame-by-time = En temps
flame-by-steps = En pas
flame-no-function-is-called-so = Aucune fonction ne correspond
flame-sought = { $count ->
        [one] { $count } fonction
       *[other] { $count } fonctions
    }, { $share } du total ({ $measure })
flame-steps = pas
flame-time = temps
flame-flame-graph = Graphe de flammes
flame-no-function-was-called = Aucune fonction n’a été appelée
flame-the-trace-has-no-calls = La trace n’a pas d’appels.
flame-flame-graph-2 = graphe de flammes
flame-box = flamme { $name }
flame-self = { $name } elle-même, hors des fonctions qu’elle appelle
flame-too-narrow = { $count } piles, chacune trop étroite pour être montrée
flame-zoom-to-it = L’agrandir
flame-zoom-out = Réduire
flame-travel-to-the-first-such = Aller au premier de ces appels
flame-next-call = Prochain appel
flame-previous-call = Appel précédent
flame-copy-stack = Copier la pile
functions-nobody-called-it = Aucun appelant
functions-callers = Appelants
functions-it-called-nobody = Aucun appelé
functions-callees = Appelés
functions-steps = Pas
functions-time = Temps
functions-share = Part
functions-calls = Appels
functions-near = voisine { $name }
functions-choose-this-function = Choisir cette fonction
functions-travel-to-the-first-such = Aller au premier de ces appels
functions-copy-name = Copier le nom
functions-a-click-chooses-it-a = Un clic la choisit, un double-clic va au premier de ces appels
functions-no-function-was-called = Aucune fonction n’a été appelée

## panels 2

registers-core = Base
registers-sve = SVE
registers-system = Système
registers-filter-registers = Filtrer les registres
registers-group = groupe de registres { $title }
registers-in-another-panel = { $group } dans un autre panneau
registers-which-registers-v = Groupe de registres   V
registers-lanes = voies { $name }
registers-lanes-hex = hexa { $bits }
registers-lanes-unsigned = non signé { $bits }
registers-lanes-signed = signé { $bits }
registers-lanes-float = flottant { $bits }
registers-how-values-are-read-l = Format des valeurs   L
registers-row = registre { $name }
registers-inferred = déduit : { $reason }
registers-unknown = inconnu
registers-thread-mode = mode thread
registers-last-write = Dernière écriture
registers-next-write = Prochaine écriture
registers-all-values-of = Toutes les valeurs de { $name }
registers-watch = Espionner { $name }
registers-show-memory-at = Afficher la mémoire à { $address }
registers-copy-value = Copier la valeur
registers-copy-name = Copier le nom
registers-copy-as-text = Copier en texte
registers-mode = mode { $mode }
registers-flags = indicateurs
detail-never-before = jamais avant
detail-never-again = plus jamais
detail-written-by = écrit par
detail-next-write = prochaine écriture
detail-next-read = prochaine lecture
detail-known-by = connu par
detail-but = mais
registers-hide-group = masquer { $title }
registers-show-group = afficher { $title }
tab-registers = Registres
tab-single-precision = Simple précision
tab-double-precision = Double précision
tab-vectors = Vecteurs
source-newer-than-the-image = plus récent que l’image
source-bar = source { $place } { $said }
source-cut = { $path }, seul son début est affiché : il est très long
source-inlined-at = { $function } incorporée en { $file }:{ $line }
source-in = dans { $function }
source-calls = appelle { $function }, qui n’a pas de ligne de source
source-no-line-of = { $address } n’a pas de ligne de source
source-no-source-line-here = pas de ligne de source ici
source-no-program-image = Pas d’image du programme
source-add-the-elf-file-that = Ajoutez le fichier ELF qui a été tracé, compilé avec -g.
source-the-image-has-no-source = L’image n’a pas de lignes de source
source-add-one-that-was-compiled = Ajoutez-en une compilée avec -g et non dépouillée.
source-no-source-line-here-2 = Pas de ligne de source ici
source-neither-this-instruction-nor-a = Ni cette instruction ni un appel autour n’en a : avancez, ou ajoutez une autre image.
source-add-image = Ajouter un programme…
source-not-found = { $file } n’a pas été trouvé
source-compiled-as = Il a été compilé sous { $name }.
source-locate = Indiquer…
source-source = Source
source-line = ligne de source { $line }
source-next-execution-of = prochaine exécution de la ligne { $line }
source-which-the-trace-never-reaches = La trace ne l’atteint jamais
source-next-hint = Prochaine exécution de la ligne { $line } (avec Maj : la précédente)
source-line-head = Ligne { $line }
source-next-execution = Prochaine exécution
source-previous-execution = Exécution précédente
source-copy-place = Copier l’endroit
source-copy-line = Copier la ligne
stack-from-step = du pas
stack-found-because = { $left } · indice : { $evidence }
stack-travel-to-its-call = Aller à son appel
stack-travel-to-its-entry = Aller à son entrée
stack-open-window-at-its-entry = Ouvrir une fenêtre à son entrée
stack-copy-stack = Copier la pile
stack-no-calls-here = Pas d’appels ici
stack-the-thread-has-not-executed = Le thread n’a exécuté aucun pas de cette trace.
stack-frames = { $count ->
        [one] { $count } cadre
       *[other] { $count } cadres
    }
stack-at = à la position { $position }
stack-return-to-it = Y revenir
stack-travel-back-to-where-this = Revenir là où est cette pile
stack-stack = Pile
stack-function = Fonction
stack-arguments-at-its-entry = Arguments à son entrée
stack-called-from = Appelée depuis
stack-step = Pas
stack-frame = cadre { $place } { $name }
stack-nothing = début du thread
accesses-all = Tous
accesses-reads-and-writes = Lectures et écritures
accesses-reads = Lectures
accesses-reads-alone = Lectures seules
accesses-writes = Écritures
accesses-writes-alone = Écritures seules : toutes les valeurs prises
accesses-register-address-length-code-or = Registre, adresse:longueur, code ou fichier:ligne
accesses-list-from-the-position = Lister depuis la position
accesses-list-from-the-start = Lister depuis le début
accesses-from-here = D’ici
accesses-from-start = Du début
accesses-bytes = { $count ->
        [one] { $count } octet
       *[other] { $count } octets
    }
export-copy-or-save-the-list = Copier ou enregistrer la liste
export-copy-as-csv = Copier en CSV
export-copy-as-json = Copier en JSON
export-save-as-csv = Enregistrer en CSV…
export-save-as-json = Enregistrer en JSON…
export-copy-or-save-the-list-as = Copier ou enregistrer la liste, telle que filtrée et triée
table-accesses = Accès
table-heap = Tas
table-heat = Zones chaudes
table-tasks = Tâches
table-functions = Fonctions
table-find = Recherche
table-travel-to-the-first-call = Aller au premier appel
table-travel-there = S’y rendre
table-no-register-memory-or-code = Aucun registre, mémoire ni code n’est choisi
table-type-above-or-right-click = Tapez ci-dessus, ou cliquez droit sur un registre, un octet ou un pas.
table-the-trace-does-not-tell = Cette trace n’a pas d’événements du tas
table-record-it-again-with-record = Enregistrez-la de nouveau avec -record_heap, et gardez le fichier funclist.log à côté de la trace.
table-format-records-no-heap = Ce format n’enregistre pas les appels des fonctions du tas.
table-the-trace-has-no-loads = Ce format n’enregistre pas les accès à la mémoire.
table-the-trace-has-no-steps = La trace n’a aucun pas.
table-the-trace-has-no-calls = La trace n’a pas d’appels.
table-nothing-is-looked-for = Rien à chercher
table-ask-for-more-bytes-for = Essayez plus d’octets, tous les threads, ou depuis le début de la trace.
table-no-function-that-allocates-returns = Aucune fonction d’allocation ne revient dans la trace.
table-no-row-holds-the-text = Aucune ligne ne contient ce texte
table-take-something-out-of-the = Raccourcissez le texte du champ ci-dessus.
table-sort-by = Trier par { $column } ; cliquez à nouveau pour inverser
table-open-in-a-new-window = Ouvrir dans une nouvelle fenêtre
table-show-memory = Afficher la mémoire
table-next-call = Prochain appel
table-previous-call = Appel précédent
table-watch = Espionner [{ $address }]
table-copy = Copier
threads-sort-by = trier par { $name }
threads-threads = Threads
threads-count = { $count ->
        [one] { $count } thread
       *[other] { $count } threads
    }
threads-on-cores = { $threads } sur { $count ->
        [one] { $count } cœur
       *[other] { $count } cœurs
    }
threads-step-through-all-threads = Parcourir tous les threads
threads-stay-in-the-thread-of = Rester dans le thread de la position
threads-thread = Thread
threads-process = Processus
threads-steps = Pas
threads-first-step = Premier pas
threads-last-step = Dernier pas
threads-cores = Cœurs
threads-end = Fin
threads-time = Temps
threads-started = Lancé
threads-row = thread { $name } avec { $count ->
        [one] { $count } pas
       *[other] { $count } pas
    }
threads-head = Thread { $name }
threads-travel-to-its-first-step = Aller à son premier pas
threads-travel-to-its-last-step = Aller à son dernier pas
threads-stay-in-this-thread = Rester dans ce thread
watches-unknown = inconnu
watches-last-write = Dernière écriture
watches-next-write = Prochaine écriture
watches-previous-change = Changement précédent
watches-next-change = Prochain changement
watches-all-values = Toutes les valeurs
watches-show-memory-at = Afficher la mémoire à { $address }
watches-read-as = Lire comme
watches-change = Modifier…
watches-move-up = Monter
watches-move-down = Descendre
watches-remove-watch = Retirer l’espion
watches-copy-value = Copier la valeur
watches-hint = Espionner { $first }, [sp+8] u32, nom utf8
watches-watches = Espions
watches-nothing-is-watched = Aucun espion
watches-type-a-register-address-or = Tapez ci-dessus un registre, [adresse] ou une expression, ou pressez O sur un registre ou un octet.
watches-row = espion { $expression } = { $value }
watches-means-nothing = pas une expression
watches-step = pas
watches-before-the-start = avant le début
watches-never-written = jamais écrit
watches-is-unknown = { $watch } est inconnu
watches-next-write-step = prochaine écriture : pas { $step }
watches-never-written-again = plus jamais écrit
registers-core-registers = Registres de base
registers-single-precision-registers = Registres simple précision
registers-double-precision-registers = Registres double précision
registers-vector-registers = Registres vectoriels
registers-sve-registers = Registres SVE
registers-system-registers = Registres système

## extra

find-where-it-begins = début de la recherche
find-where-it-ends = fin de la recherche

## model 1

externals-line = pas { $step } : { $address }{ $place } valait { $was }, lu { $read }
fatal-load = { $count ->
        [0] Pas de sortie : très probablement un signal fatal. L’enregistreur les termine mal : la lecture à { $address } semble achevée
        [one] Pas de sortie : très probablement un signal fatal. L’enregistreur les termine mal : la lecture à { $address } semble achevée, et { $count } pas suivant peut ne pas avoir été exécuté
       *[other] Pas de sortie : très probablement un signal fatal. L’enregistreur les termine mal : la lecture à { $address } semble achevée, et les { $count } pas suivants peuvent ne pas avoir été exécutés
    }
fatal-store = { $count ->
        [0] Pas de sortie : très probablement un signal fatal. L’enregistreur les termine mal : l’écriture à { $address } semble achevée
        [one] Pas de sortie : très probablement un signal fatal. L’enregistreur les termine mal : l’écriture à { $address } semble achevée, et { $count } pas suivant peut ne pas avoir été exécuté
       *[other] Pas de sortie : très probablement un signal fatal. L’enregistreur les termine mal : l’écriture à { $address } semble achevée, et les { $count } pas suivants peuvent ne pas avoir été exécutés
    }
fatal-raised = Pas de sortie : très probablement un signal fatal, que le programme s’est envoyé par { $call }

## Comment une trace se termine mal : la carte affichée à l’ouverture
ending-no-code = Saut vers { $target }, où il n’y a pas de code ({ $exception })
ending-jump = Se termine par une exception après un saut vers { $target } : { $exception }
ending-exception = Se termine par une exception : { $exception }
ending-handler = Se termine dans { $handler }, après une exception : { $exception }
ending-watchdog = Un chien de garde a expiré : la trace se termine dans { $handler }
ending-signal = Se termine dans le gestionnaire de { $signal }
ending-assertion = Se termine dans { $function } : le programme a abandonné
ending-lost = Les derniers enregistrements de la trace sont perdus
ending-fatal-load = Très probablement tué par un signal : lecture à { $address }
ending-fatal-store = Très probablement tué par un signal : écriture à { $address }
ending-raised = Très probablement tué par un signal qu’il s’est envoyé par { $call }
ending-place = pas { $step }, { $place } : { $code }
ending-close = Fermer
ending-why = Pourquoi
ending-end = Fin
ending-go = Y aller
ending-go-to-step = Aller à ce pas
ending-writes = Toutes les écritures
ending-writes-of = Lister ce qui a été écrit à { $cell }, où la valeur se trouvait
watches-the-trace-does-not-tell = la trace ne dit pas ce qui a été écrit
watches-nothing-wrote-it-before-this = aucune écriture avant cette position
head-page = Page
head-reads = Lectures
head-writes = Écritures
head-share = Part
head-symbol = Symbole
heat-no-access = Aucun accès à la mémoire
heat-pages = { $count ->
        [one] { $count } page
       *[other] { $count } pages
    } de { $size }
heat-busiest = { $summary }, dont les { $count } plus actives
heat-page = page { $address }
tasks-count = { $tasks ->
        [one] { $tasks } tâche
       *[other] { $tasks } tâches
    }, { $runs ->
        [one] { $runs } exécution
       *[other] { $runs } exécutions
    }
tasks-os-threads = Les tâches de cette trace sont ses threads : voir Threads
tasks-first-rows = { $summary }, les { $count } premières lignes
tasks-name = tâche { $task } { $function }
tasks-run = tâche { $task } à partir de { $from }
tasks-task = Tâche
tasks-function = Première fonction
tasks-control-block = Bloc de contrôle
tasks-runs = Exécutions
tasks-from = Premier pas
tasks-to = Dernier pas
tasks-steps = Pas
tasks-handler-steps = Dans les gestionnaires
tasks-time = Temps
tasks-calls = Appels
order-one = le thread { $thread } tournait en même temps
order-and = { $first } et { $last }
order-more = { $count ->
    [one] { $first } et { $count } autre
   *[other] { $first } et { $count } autres
}
order-several = les threads { $threads } tournaient en même temps
order-explained =
    Chaque thread a noté l’heure de temps en temps : aux appels système, et quand un tampon était plein.
    Les pas de threads différents sont rangés dans l’ordre de ces heures.
    Lequel de deux pas entre de telles heures vint le premier n’est pas connu : « Dernière écriture » peut
    donc nommer le mauvais de deux threads qui utilisaient la même mémoire en même temps.
order-at-position = À cette position { $others }.
order-nobody = À cette position aucun autre thread ne tournait.
frame-the-first-frame-of-its = le premier cadre de son thread
frame-entered-by-a-call = entré par un appel
frame-entered-by-a-jump-from = entré par un saut depuis la fin d’une autre fonction (appel terminal)
frame-entered-by-an-exception-or = entré par une exception ou interruption
frame-entered-by-a-switch-to = entré par un passage à une autre pile (une autre tâche)
frame-entered-before = entré avant que la trace ne le montre
frame-first-after-a-gap = le premier cadre après une lacune de la trace
frame-returned = revenu
frame-skipped-by-a-later-return = sauté par le retour d’un de ses appelants
frame-left-by-a-jump-out = quitté par un saut hors de plusieurs cadres (longjmp)
frame-never-left-the-trace-ends = jamais quitté : la trace se termine dedans
frame-left-by-a-jump-to = quitté par un saut à une autre fonction, qui est revenue à sa place (appel terminal)
frame-left-in-a-gap = inconnu : une lacune de la trace suit son dernier pas
frame-last-step = { $words }, dernier pas { $step }
frame-it-is-where-the-thread = c’est là que le thread commence
frame-the-calling-step-wrote-the = le pas appelant a écrit l’adresse qui le suit dans le registre de lien
frame-control-came-back-to-its = le contrôle est revenu à son adresse de retour avec le pointeur de pile qu’il avait
frame-the-calling-step-is-a = le pas appelant est un branchement au début d’une autre fonction
frame-the-trace-says-so-in = la trace le dit explicitement
frame-control-went-on-elsewhere-after = le contrôle a continué ailleurs après une instruction qui ne branche pas
frame-the-stack-pointer-was-moved = le pointeur de pile est passé à une autre pile
frame-the-traces-records-say-so = les enregistrements de la trace le disent
frame-a-return-of-no-recorded-call = un retour qui n’appartient à aucun appel enregistré y est allé
frame-mark-tail = appel terminal
frame-mark-task = tâche
frame-mark-skipped = sauté
frame-mark-open = ouvert
frame-mark-gap = lacune
frame-mark-exception = exception
bookmarks-behind-the-end-of-the = après la fin de la trace
bookmarks-not-indexed-yet = pas encore indexé
sofar-stopped = Indexé jusqu’au pas { $step } ({ $share } %)
sofar-following = Suivi : { $count ->
        [one] { $count } pas
       *[other] { $count } pas
    }
sofar-following-share = Suivi : { $count ->
        [one] { $count } pas
       *[other] { $count } pas
    } ({ $share } %)
sofar-caveat = la trace est indexée jusqu’au pas { $step } ({ $share } %)
sofar-so-far = { $text } jusqu’ici
sofar-not-left = pas encore revenue : { $caveat }
sofar-nothing = { $sentence } jusqu’ici : { $caveat }
text-bytes = { $count ->
        [one] { $count } octet
       *[other] { $count } octets
    }
text-kib = Kio
text-mib = Mio
text-gib = Gio
text-tib = Tio
text-pib = Pio
text-eib = Eio
effect-unknown = inconnu
effect-taken = ↓ pris
effect-taken-2 = ↑ pris
effect-not-taken = non pris
tick-read = lu
tick-written = écrit
tick-external-change-memory-differs-from = modification externe : la mémoire diffère de ce qu’on savait
tick-exception-trap-interrupt-or-signal = exception, trappe, interruption ou signal
tick-of-the-search = de la recherche
tick-gap-instructions-are-missing-here = lacune : des instructions manquent ici
timeline-own = { $steps }, dont { $own } en propre
step-rounds = { $count ->
        [one] { $count } itération
       *[other] { $count } itérations
    }
step-not-executed = non exécuté
step-reconstructed = reconstitué
step-inferred = déduit
step-reconstructed-what-is-recorded-leads = reconstitué : non enregistré, mais le chemin passe forcément par ici
step-inferred-likely-but-nothing-recorded = déduit : probable, mais rien d’enregistré ne le prouve
step-in-a-delay-slot = dans un créneau différé
step-annulled = annulé
step-more-in-lines = et { $count } de plus : les lignes de la trace les ont
step-more-in-records = et { $count } de plus : list --records les a
warnings-placed = ligne { $line }, octet { $byte } : { $message }
heap-block-freed-since = { $offset ->
        [0] le premier des { $size } que { $function } a rendus à { $step }, libérés depuis à { $freed }
        [one] { $offset } octet après le début des { $size } que { $function } a rendus à { $step }, libérés depuis à { $freed }
       *[other] { $offset } octets après le début des { $size } que { $function } a rendus à { $step }, libérés depuis à { $freed }
    }
heap-block-freed-at = { $offset ->
        [0] le premier des { $size } que { $function } a rendus à { $step }, libérés à { $freed }
        [one] { $offset } octet après le début des { $size } que { $function } a rendus à { $step }, libérés à { $freed }
       *[other] { $offset } octets après le début des { $size } que { $function } a rendus à { $step }, libérés à { $freed }
    }
heap-block-never-freed = { $offset ->
        [0] le premier des { $size } que { $function } a rendus à { $step }, jamais libérés
        [one] { $offset } octet après le début des { $size } que { $function } a rendus à { $step }, jamais libérés
       *[other] { $offset } octets après le début des { $size } que { $function } a rendus à { $step }, jamais libérés
    }
heap-double-free = { $function } reçoit { $address }, que { $freer } a déjà libéré à { $step }
heap-the-start = le début
heap-step = pas { $step }
compare-below-the-stack-pointer = sous le pointeur de pile, supposé
compare-stack-guessed = pile, supposée
compare-nothing-differs = Aucune différence
compare-differ = { $registers ->
        [one] { $registers } registre
       *[other] { $registers } registres
    } · { $bytes ->
        [one] { $bytes } octet
       *[other] { $bytes } octets
    } diffèrent
compare-of-differ = { $count } sur { $all } diffèrent
compare-registers = Registres
compare-region = { $first } – { $last }, { $count ->
        [one] { $count } octet diffère
       *[other] { $count } octets diffèrent
    }
compare-from = à partir de { $address }
compare-unknown = inconnu
findings-error = erreur
findings-warning = avertissement
findings-note = note
findings-errors = { $count ->
        [one] { $count } erreur
       *[other] { $count } erreurs
    }
findings-warnings = { $count ->
        [one] { $count } avertissement
       *[other] { $count } avertissements
    }
findings-notes = { $count ->
        [one] { $count } note
       *[other] { $count } notes
    }
findings-no-findings-2 = aucun constat
findings-step = pas { $number }
findings-line = ligne { $number }
findings-record = enregistrement { $number }
findings-in-the-trace = dans la trace
findings-clause = , { $clause } de la spécification
rule-damaged = une partie de la trace n’a pas pu être lue
rule-damaged-meaning = le fichier est endommagé ou coupé, ou son producteur ne suit pas le format : cette partie manque
rule-blocks = chaque ligne du journal est un bloc d’instructions
rule-blocks-meaning = il a été enregistré sans one-insn-per-tb : les registres ne sont connus qu’entre les blocs
rule-image = un programme ne contient pas les instructions exécutées
rule-image-meaning = le programme vient d’une autre compilation, en est un autre, ou a été chargé ailleurs : ses noms, ses lignes et sa mémoire sont faux
rule-image-changed = un programme ne contient pas les instructions exécutées
rule-image-changed-meaning = le programme a été corrigé ou s’est modifié lui-même, ou un débogueur a placé des points d’arrêt
rule-time-backwards = le temps d’un thread recule
rule-time-backwards-meaning = des parties de la trace sont dans le mauvais ordre ou ont été assemblées, ou l’horloge a été réglée
rule-path = un thread continue à une adresse inattendue
rule-path-meaning = des pas manquent, ou une interruption, une exception ou un changement de contexte n’est pas enregistré
rule-register-unwritten = un registre a changé sans écriture
rule-register-unwritten-meaning = il manque une instruction ou une exception dans la trace, ou la ligne appartient à un autre pas ou processeur
rule-memory-unwritten = une lecture n’a pas rendu la dernière écriture
rule-memory-unwritten-meaning = un périphérique y a écrit (DMA), une écriture manque dans la trace, ou l’adresse désigne maintenant une autre mémoire
rule-memory-outside = une lecture n’a pas rendu la dernière écriture
rule-memory-outside-meaning = le plus souvent une écriture par un appel système, une interruption, un périphérique ou un autre processeur, que la trace ne montre pas
rule-bad-ending = la trace se termine par un échec
rule-bad-ending-meaning = le programme s’est arrêté brutalement, a été tué ou a abandonné, ou l’enregistreur a perdu ses derniers pas
rule-thread-without-start = un thread ultérieur n’a pas été créé par un appel système
rule-thread-without-start-meaning = l’enregistreur a été attaché alors que le thread tournait déjà, ou la partie avec son début manque
rule-thread-without-step = un thread n’a pas d’instruction, ou ne commence pas par une instruction
rule-thread-without-step-meaning = son nom est endommagé, ou la trace a été extraite d’une plus longue, ou filtrée par thread
check-path = { $thread } est à { $pc }, alors que l’instruction à { $from } mène à { $expected }
check-time = le temps de { $thread } recule de { $before } à { $after }
check-no-instruction = { $thread } n’a pas d’instruction
check-early-access = { $thread } accède à { $address } avant sa première instruction
check-register = { $register } passe de { $before } à { $after } à { $pc }, où { $instruction } ne l’écrit pas
check-a-register = un registre
check-thread = le thread { $thread } commence, mais aucun appel système antérieur ne l’a créé ({ $begun } commencés, { $made } créés)
check-read = une lecture à { $address } trouve { $read }, alors que { $known } était connu
image-cause-changed = le programme a été corrigé, s’est modifié lui-même, ou avait des points d’arrêt
image-cause-base = il conviendrait à une autre adresse : ajoutez { $base } à son nom
image-cause-build = il semble être une autre compilation du programme
image-cause-program = il semble être un autre programme
image-cause-processor = il est pour un autre processeur
image-misfit-everywhere = il ne contient aucune instruction exécutée ; { $cause }
image-misfit = { $other } des { $all } instructions exécutées diffèrent dans le fichier ; { $cause }
image-misfit-from = { $other } des { $all } instructions exécutées diffèrent dans le fichier, la première à { $pc } (pas { $step } : { $executed } exécuté, { $held } dans le fichier) ; { $cause }
image-left-out = le programme ne correspond pas à la trace et n’est pas utilisé : { $why } : { $image }
image-memory-not-used = le programme ne correspond pas à la trace : noms et lignes peuvent être faux, et sa mémoire n’est pas utilisée : { $why } : { $image }
image-doubtful = le programme ne correspond pas à la trace : noms, lignes et mémoire peuvent être faux : { $why } : { $image }
image-differs = le programme diffère de la trace : { $why } : { $image }
image-copies-data = le programme copie ses données après la réinitialisation : jusque-là, la mémoire les contient là où elles ont été chargées : { $image }
image-without-accesses = la trace n’enregistre pas les accès à la mémoire : la mémoire que le programme peut écrire est inconnue : { $image }
image-begins-late = la trace ne commence pas au point d’entrée du programme : la mémoire qu’il peut écrire est inconnue tant que la trace ne la montre pas : { $image }
notice-companion-damaged =
    { $more ->
        [0] un fichier à côté de la trace est endommagé, { $problem } : { $file }
       *[other] un fichier à côté de la trace est endommagé, { $problem } ({ $more } autres cas) : { $file }
    }
notice-companion-unreadable = un fichier à côté de la trace n’a pas pu être lu ({ $error }) : { $file }
notice-companion-too-long = il est trop long
notice-no-directory = ce n’est pas un dossier, aucun programme n’y est donc cherché : { $directory }
notice-image-big-endian = le programme est gros-boutiste, la trace est lue comme petit-boutiste
notice-image-little-endian = le programme est petit-boutiste, la trace est lue comme gros-boutiste
notice-image-damaged = le programme est endommagé : { $problem } : { $image }
notice-unknown-processor = inconnu
notice-foreign-image = le programme est pour un autre processeur ({ $other }) que celui de la trace ({ $traced }) : { $image }
notice-foreign-image-left-out = le programme est pour un autre processeur ({ $other }) que celui de la trace ({ $traced }) et n’est pas utilisé : { $image }
notice-last-image-left-out = un programme de la dernière session n’est pas utilisé : { $why }
notice-image-beside-left-out = le programme à côté de la trace n’est pas utilisé : { $why }
notice-symbols-of-last-image = les symboles viennent d’un programme de la dernière session : { $image }
notice-symbols-of-image-beside = les symboles viennent du programme à côté de la trace : { $image }
notice-missing-program = { $missing } ; avec le bon programme (--image ELF[@OFFSET], ou à côté de la trace), toutes les instructions intermédiaires le sont
notice-index-damaged = l’index était endommagé et a été refait
notice-copy-damaged = la copie des enregistrements de la trace était endommagée et a été refaite
notice-no-tail-calls = les appels terminaux n’ont pas pu être distingués des autres sauts : { $error }
notice-partial-index = seule une partie de la trace est indexée, les { $steps } premiers pas : les réponses sont provisoires : { $index }
notice-stale-index = l’index est périmé et les réponses peuvent être fausses : { $why } : { $index }
notice-index-elsewhere = { $refusal } ; il est conservé dans { $index }
notice-index-resumed = { $percent } % de l’index existaient depuis une exécution précédente : { $index }
notice-index-unwritable = l’index ne peut pas être écrit dans { $index } ({ $error })
notice-no-place-for-index = il n’y a pas de place pour l’index
notice-index-in-memory = { $refusal } ; il est conservé en mémoire et sera refait la prochaine fois
notice-more-files =
    { $count ->
        [one] un autre fichier se trouve à côté : pour voir tous les threads de la trace, ouvrez le dossier : { $directory }
       *[other] d’autres fichiers se trouvent à côté : pour voir tous les threads de la trace, ouvrez le dossier : { $directory }
    }
notice-files-merged = { $count } fichiers ont été fusionnés selon leurs temps : les lignes sont comptées dans le texte fusionné
notice-more-windows =
    { $count ->
        [one] cette trace a { $count } autre fenêtre de temps ; ouvrez chacune par son dossier ; est affiché { $directory }
       *[other] cette trace a { $count } autres fenêtres de temps ; ouvrez chacune par son dossier ; est affiché { $directory }
    }
notice-no-such-module = aucun module tracé ne porte ce nom, il est donc chargé aux adresses du fichier : { $image }
notice-other-build-left-out = une autre version que celle qui a été tracée n’est pas utilisée : { $image }
notice-other-build = ceci semble être une autre version du programme tracé : { $image }
notice-module-missing = { $module } n’a pas été trouvé sur cette machine et n’a donc pas de symboles : indiquez son dossier avec --sysroot DIR, ou le fichier avec --image
notice-and-more = { $names } et { $count } autres
notice-and-last = { $names } et { $last }
notice-modules-missing = { $modules } n’ont pas été trouvés sur cette machine et n’ont donc pas de symboles : indiquez leur dossier avec --sysroot DIR, ou les fichiers avec --image
open-no-regular-file = une trace doit être un fichier ordinaire (elle est lue en accès direct) : enregistrez d’abord ce tube ou ce périphérique dans un fichier
open-empty = le fichier est vide
open-no-such-file = ce fichier n’existe pas
open-not-permitted = cet utilisateur n’a pas le droit de lire le fichier
open-failed = le fichier n’a pas pu être ouvert ({ $error })
open-directory-unreadable = le dossier ne peut pas être lu : { $error }
session-foreign = une autre session s’y trouve et ne sera pas remplacée
session-no-session = ce fichier n’est pas une session et ne sera pas remplacé
session-not-saved = la session n’est pas enregistrée ({ $error })
-records-damaged = des enregistrements manquent ou sont endommagés, ou le programme qui les a écrits a une erreur
rule-R-H01 = le premier enregistrement n’est pas un en-tête
rule-R-H01-meaning = le début de la trace manque, ou ce n’est pas une trace RST
rule-R-H02 = un enregistrement d’en-tête vient après le premier enregistrement
rule-R-H02-meaning = plusieurs traces complètes ont été mises bout à bout
rule-R-H03 = le texte de l’en-tête ne commence pas par « RST Header »
rule-R-H03-meaning = le fichier a été écrit par un autre programme, ou il est endommagé
rule-R-H04 = l’en-tête n’a pas de % avant son texte
rule-R-H04-meaning = le fichier a été écrit par un autre programme, ou il est endommagé
rule-R-H05 = le deuxième enregistrement n’indique pas l’outil qui a produit la trace (TRACEINFO)
rule-R-H05-meaning = un outil qui a filtré la trace l’a supprimé, ou l’outil est antérieur à la version 2.06
rule-R-H06 = le troisième enregistrement n’indique ni processeurs ni dates (TRACEINFO)
rule-R-H06-meaning = l’outil est antérieur à cette exigence, nouvelle dans la spécification
rule-R-H07 = les indications de la trace sur ses processeurs et ses dates sont fausses
rule-R-H07-meaning = la trace a été filtrée ou fusionnée sans que son en-tête soit mis à jour
rule-R-G01 = des bits réservés ne sont pas à 0
rule-R-G01-meaning = le producteur n’a pas effacé ses enregistrements, ou les octets sont endommagés ; compressée, la trace est plus grande
rule-R-E03 = le type d’un enregistrement n’existe pas dans la version de l’en-tête
rule-R-E03-meaning = l’en-tête indique une version antérieure à celle du producteur, ou les octets sont endommagés
rule-R-S01 = une partie d’un texte n’est suivie ni de la partie suivante ni de sa fin
rule-R-S01-meaning = des enregistrements d’un texte ont été supprimés, ou des processeurs ont été fusionnés enregistrement par enregistrement
rule-R-S02 = la fin d’un texte n’est pas suivie d’un zéro
rule-R-S02-meaning = le texte est coupé, ou sa dernière partie a été écrite comme une partie intermédiaire
rule-R-I01 = aucun texte avant la première instruction n’indique le type de la MMU
rule-R-I01-meaning = un simulateur de système complet l’a omis : la traduction des adresses est inconnue
rule-R-I02 = aucun texte avant la première instruction n’indique le type du processeur
rule-R-I02-meaning = l’outil est antérieur à cette exigence, nouvelle dans la spécification
rule-R-I03 = aucun texte avant la première instruction n’indique le nombre de fenêtres de registres
rule-R-I03-meaning = les lecteurs supposent huit fenêtres, et affichent de faux registres s’il y en a un autre nombre
rule-R-I04 = l’état d’un processeur n’est pas enregistré avant sa première instruction (PREG, et TT, TPC, TNPC dans un trap)
rule-R-I04-meaning = la trace a été extraite d’une plus longue sans l’état que son début exige
rule-R-I05 = le contenu des TLB n’est pas enregistré avant la première instruction
rule-R-I05-meaning = la trace a été extraite d’une plus longue : ses adresses physiques sont inconnues au début
rule-R-I06 = aucun PAVADIFF ne précède la première instruction d’un processeur
rule-R-I06-meaning = les adresses physiques sont inconnues jusqu’au premier PAVADIFF
rule-R-A01 = une instruction annulée n’a pas d’adresse, ou a une adresse effective
rule-R-A01-meaning = le producteur a laissé l’adresse d’une autre instruction dans l’enregistrement
rule-R-A02 = un branchement ni annulé ni interrompu par un trap n’indique pas sa cible
rule-R-A02-meaning = les cibles des sauts par registre sont inconnues
rule-R-A03 = une instruction autre qu’un chargement, un rangement ou un transfert de contrôle a une adresse effective
rule-R-A03-meaning = le producteur ne l’a pas effacée
rule-R-A04 = une instruction qui n’est ni un transfert de contrôle ni interrompue par un trap est marquée comme prise
rule-R-A04-meaning = le producteur n’a pas effacé la marque
rule-R-A05 = un chargement ou un rangement ni annulé ni interrompu par un trap n’a pas d’adresse
rule-R-A05-meaning = la mémoire à laquelle il accède est inconnue
rule-R-A06 = une instruction absente de la MMU de données a une adresse effective
rule-R-A06-meaning = le producteur donne une adresse qui n’a jamais été traduite
rule-R-A07 = un branchement ne va pas là où mènent son encodage et sa marque de branchement pris
rule-R-A07-meaning = la marque de branchement pris, l’adresse ou l’instruction est fausse
rule-R-A08 = avec des adresses de 32 bits (PSTATE.AM), une adresse vaut 2^32 ou plus
rule-R-A08-meaning = le producteur n’a pas masqué l’adresse, ou l’état enregistré est faux
rule-R-A09 = l’instruction qu’un branchement annule n’est pas dans la trace, ou n’est pas marquée
rule-R-A09-meaning = le producteur omet les instructions annulées, ou ne les marque pas : elles semblent exécutées
rule-R-P01 = un processeur ne continue pas là où mène sa dernière instruction
rule-R-P01-meaning = des enregistrements manquent, un trap ou un changement de contexte n’est pas enregistré, ou une cible est fausse
rule-R-V01 = une traduction qui change avec la page n’est pas enregistrée juste avant l’instruction
rule-R-V01-meaning = des enregistrements ont été supprimés ou insérés entre les deux : les adresses physiques sont fausses jusqu’au PAVADIFF suivant
rule-R-V02 = le PAVADIFF avant une instruction sans adresse effective a une traduction de données
rule-R-V02-meaning = le producteur y a laissé la traduction d’une autre instruction
rule-R-V03 = la différence entre adresses physiques et virtuelles n’est pas un multiple d’une page
rule-R-V03-meaning = l’enregistrement est endommagé, ou n’est pas une traduction de pages
rule-R-V04 = aucun PAVADIFF avec la traduction de données ne suit un changement du contexte de données
rule-R-V04-meaning = les adresses physiques de données peuvent être celles d’un autre processus
rule-R-T01 = la première instruction après un TRAP n’est pas marquée comme interrompue par un trap
rule-R-T01-meaning = des enregistrements manquent entre les deux, ou le trap appartient à un autre processeur
rule-R-T02 = un trap synchrone n’est pas suivi de son instruction, ou un autre trap de son gestionnaire
rule-R-T02-meaning = des enregistrements manquent entre les deux, ou le type du trap est faux
rule-R-T03 = une instruction sans TRAP avant elle est marquée comme interrompue par un trap
rule-R-T03-meaning = le TRAP a été supprimé : l’appel du gestionnaire manque dans les appels
rule-R-T04 = un TRAP a un mauvais niveau de trap, est répété, ou désigne un appel système inconnu
rule-R-T04-meaning = des instructions entre deux traps manquent, ou les niveaux de trap n’ont pas été suivis
rule-R-T05 = aucun PREG avec le niveau et le type du trap ne précède done ou retry
rule-R-T05-meaning = l’état après le trap n’est pas enregistré, ou l’enregistrement appartient à un autre trap
rule-R-T06 = les registres du niveau de trap ne sont pas enregistrés après done ou retry
rule-R-T06-meaning = recommandé : les valeurs de TL, TT, TPC et TNPC après le trap ne sont pas enregistrées
rule-R-T07 = aucun TRAPEXIT ne suit done ou retry
rule-R-T07-meaning = recommandé, non obligatoire : les outils qui le cherchent manquent la fin du trap
rule-R-T08 = une écriture de %tl produit un TRAP ou un TRAPEXIT
rule-R-T08-meaning = le producteur prend un changement du niveau de trap pour un trap
rule-R-R01 = %g0 n’est pas à 0
rule-R-R01-meaning = le numéro du registre est faux, ou les octets sont endommagés
rule-R-R02 = le type d’un registre n’est pas compris entre 1 et 9
rule-R-R02-meaning = le producteur n’a pas rempli l’enregistrement, ou les octets sont endommagés
rule-R-M01 = une valeur de mémoire n’a pas de 1 à 8 octets
rule-R-M01-meaning = les octets sont endommagés
rule-R-M02 = la suite d’une valeur de mémoire ne suit pas une valeur du même processeur
rule-R-M02-meaning = l’enregistrement qu’elle continue a été supprimé : l’emplacement de la valeur est inconnu
rule-R-D01 = des délimiteurs ne vont pas par paires, ou ne sont pas imbriqués
rule-R-D01-meaning = l’un d’une paire a été supprimé, ou la trace se termine entre les deux
rule-R-F01 = le fichier se termine à l’intérieur d’un enregistrement
rule-R-F01-meaning = le fichier est coupé, ou des données ont été ajoutées à sa fin
rule-R-C01 = avant la version 2.12, un processeur a un numéro de 64 ou plus
rule-R-C01-meaning = l’en-tête indique une version antérieure à celle du producteur, ou les octets sont endommagés
rule-B-FIT = un enregistrement ne correspond pas à l’instruction du programme à cette adresse
rule-B-FIT-meaning = l’enregistrement est endommagé, ou le programme en est un autre ou a été chargé ailleurs
rule-B-TIME = le temps d’un thread recule
rule-B-TIME-meaning = l’enregistrement est endommagé, ou des enregistrements ont été mis bout à bout
rule-B-LOST = un branchement sur le chemin d’un thread n’a pas d’enregistrement
rule-B-LOST-meaning = des enregistrements ont été perdus, ou un signal ou longjmp a détourné l’exécution
rule-B-OUT = l’exécution quitte les fichiers du programme
rule-B-OUT-meaning = une bibliothèque manque parmi les programmes chargés
rule-B-START = un thread ne commence pas au début du programme
rule-B-START-meaning = l’enregistrement a commencé plus tard, ou un autre thread l’a lancé : son parcours jusque-là n’est pas enregistré
rule-B-RETURN = un retour ne va pas à l’instruction qui suit un appel encore ouvert
rule-B-RETURN-meaning = des enregistrements manquent peut-être là où les adresses ne le montrent pas
rule-B-JUMP = deux temps d’un thread sont très éloignés
rule-B-JUMP-meaning = le thread a attendu, ou des enregistrements manquent là où les adresses ne le montrent pas
rule-B-COUNT = le fichier n’a pas autant d’enregistrements complets que l’indique son en-tête
rule-B-COUNT-meaning = le fichier a été coupé, ou son producteur n’a pas terminé
rule-D-TYPE = les types de contenu qu’indique le type du fichier se contredisent
rule-D-TYPE-meaning = l’en-tête est endommagé, ou des traces ont été mises bout à bout
rule-D-HEADER = un thread ne commence pas par la taille des lignes de cache et des pages
rule-D-HEADER-meaning = le début du fichier est endommagé ou a été coupé
rule-D-CONTENT = les enregistrements ne sont pas des types qu’indique le type du fichier
rule-D-CONTENT-meaning = l’en-tête est endommagé, ou un outil a modifié les enregistrements sans l’en-tête
rule-D-COUNT = une trace filtrée ne compte pas ses instructions, ou leur nombre décroît
rule-D-COUNT-meaning = { -records-damaged }
rule-D-VECTOR = un vecteur n’a pas de 16 à 256 octets, ou n’est pas sur AArch64
rule-D-VECTOR-meaning = { -records-damaged }
rule-D-CHUNK = les blocs ne sont pas numérotés à partir de 0, ou n’ont pas le nombre d’instructions qu’indique l’en-tête
rule-D-CHUNK-meaning = une partie du fichier est perdue, ou les fichiers de l’archive sont dans le mauvais ordre
rule-D-RAW = un enregistrement a la forme brute
rule-D-RAW-meaning = seule une partie de la trace a été post-traitée
rule-D-EXIT = un thread ne se termine pas par sa sortie
rule-D-EXIT-meaning = le programme a été tué, le fichier est coupé, ou l’enregistreur a été arrêté
rule-D-EMPTY = un thread se termine sans instruction
rule-D-EMPTY-meaning = { -records-damaged }
rule-D-SYSCALL = il manque à un appel système son instruction, les enregistrements du temps et du CPU, ou son numéro, dans cet ordre
rule-D-SYSCALL-meaning = { -records-damaged }
rule-D-BLOCKING = un enregistrement d’appel bloquant ne suit pas son appel système
rule-D-BLOCKING-meaning = { -records-damaged }
rule-D-FUNCTION = une fonction tracée commence ou se termine sans branchement, ou ne revient pas à l’instruction après son appel
rule-D-FUNCTION-meaning = des enregistrements manquent, ou une fonction a été quittée par longjmp
rule-D-ACCESS = une instruction n’a pas autant de chargements et de rangements que l’indique son encodage
rule-D-ACCESS-meaning = { -records-damaged }
rule-D-SIZE = un accès a une longueur de 0 octet
rule-D-SIZE-meaning = l’enregistreur ne connaissait pas l’instruction : les longueurs sont déduites de l’instruction quand c’est possible
rule-D-BRANCH = un branchement n’indique pas sa cible, ou l’instruction à cette cible ne le suit pas
rule-D-BRANCH-meaning = { -records-damaged }
rule-D-FLOW = un thread ne continue pas là où mènent ses branchements et ses appels système
rule-D-FLOW-meaning = des enregistrements manquent, ou un signal ou un changement de contexte n’est pas enregistré
rule-D-EVENT = un signal ou une interruption ne survient pas là où était le thread
rule-D-EVENT-meaning = { -records-damaged }
rule-D-RETURN = un gestionnaire ne revient pas là où le thread a été interrompu
rule-D-RETURN-meaning = le gestionnaire a modifié le contexte, comme le font débogueurs et environnements d’exécution, ou des enregistrements manquent
rule-D-RSEQ = une séquence redémarrable ne se termine pas par sa dernière instruction, un branchement ou un abandon enregistré
rule-D-RSEQ-meaning = { -records-damaged }
rule-D-KERNEL = la partie d’un appel système dans le noyau ne suit pas son numéro, est incomplète, ou ne se termine pas par un branchement de retour
rule-D-KERNEL-meaning = { -records-damaged }
rule-D-SWITCH = la partie d’un changement de contexte dans le noyau est incomplète, ou ne se termine pas par un branchement
rule-D-SWITCH-meaning = { -records-damaged }
rule-D-HARDWARE = des interruptions ou des exceptions du processeur figurent dans une trace qui ne couvre pas le système entier
rule-D-HARDWARE-meaning = { -records-damaged }
rule-D-PHYSICAL = une adresse physique ne précède pas immédiatement son adresse virtuelle, ou est à une autre place dans sa page
rule-D-PHYSICAL-meaning = { -records-damaged }
rule-D-FILTER = une trace dont le début est filtré n’indique pas la fin du filtrage, ou une autre trace l’indique
rule-D-FILTER-meaning = { -records-damaged }
rule-D-REGDEPS = une trace d’instructions synthétiques contient des données sur le processeur réel ou ses appels système
rule-D-REGDEPS-meaning = l’outil qui a anonymisé la trace a laissé des données
rule-stf-target-without-branch = une cible de branchement est enregistrée pour une instruction qui n’est pas un branchement
rule-stf-target-without-branch-meaning = l’enregistrement appartient à une autre instruction, ou le code de l’instruction est faux
rule-stf-branch-without-target = un branchement a été pris et sa cible n’est pas enregistrée
rule-stf-branch-without-target-meaning = l’adresse suivante est celle de l’instruction d’après, ce qui est faux
rule-stf-wrong-target = la cible enregistrée d’un branchement n’est pas celle du code de l’instruction
rule-stf-wrong-target-meaning = l’enregistrement, le code ou l’adresse est faux
rule-stf-chunk-start = un bloc ne commence pas à l’adresse qu’indique l’index
rule-stf-chunk-start-meaning = l’index est faux, ou des instructions manquent avant le bloc
rule-stf-chunk-length = un bloc n’a pas autant d’instructions que l’indique l’en-tête
rule-stf-chunk-length-meaning = les numéros d’instruction avec lesquels d’autres outils se positionnent sont faux
query-cancelled = annulé
query-unreadable = la trace n’a pas pu être lue : { $error }
query-trace-changed = la trace a changé depuis son indexation : rechargez-la
query-damaged = l’index est endommagé ({ $part }) : refaites-le
query-beyond-end = la position { $position } est après la fin de la trace, qui est la position { $end }
query-too-many-pages = cette mémoire a changé de place plus de { $count } fois : demandez moins d’octets
query-too-long = { $bytes } octets dépassent la limite d’une recherche de causes : demandez-en { $limit } au plus
query-no-thread = la trace n’a pas de thread « { $name } »
reason-returned = adresse de retour de l’appel au pas { $step }
reason-constant = constante du pas { $step }
reason-computed = calculé par le pas { $step } à partir de : { $fact }
reason-moved = déplacé par le pas { $step } à partir de : { $fact }
reason-loaded = chargé par le pas { $step } : { $fact }
reason-loaded-from = chargé par le pas { $step } depuis ce que le pas { $source } a lu ou écrit : { $fact }
fact-constant = une constante du pas { $step }
fact-address = l’adresse de l’accès du pas { $step }
fact-target = la destination du branchement du pas { $step }
fact-stated = ce que la trace dit au pas { $step }
findings-rule = { $id }{ $clause }
    { $title }
    Cause possible : { $meaning }
findings-more = et { $count } de plus
memory-bytes = { $count ->
        [one] { $count } octet
       *[other] { $count } octets
    }
memory-bytes-of-thread = { $count ->
        [one] { $count } octet
       *[other] { $count } octets
    } du thread { $thread }
memory-the-last-write = la dernière écriture au pas { $step }
memory-what-was-known = la dernière valeur connue
memory-external = externe : la lecture au pas { $step } diffère de { $last } : valait { $was }, lu { $now }
head-step = Pas
head-thread = Thread
head-count = Nombre
head-call-stack = Pile d’appels
head-before = Avant
head-value = Valeur
head-bytes = Octets
head-address = Adresse
head-code = Code
head-caller = Appelant
head-instruction = Instruction
head-operands = Opérandes
head-effects = Effets
accesses-read = lecture
accesses-write = écriture
accesses-at-step = { $access } au pas { $step }
accesses-execution-at-step = exécution au pas { $step }
accesses-unknown = inconnu
doubt-system-call = appel système { $number }
doubt-overwritten = peut-être écrasé depuis par { $name } au pas { $step }
doubt-overwritten-late = peut avoir été écrasé depuis par { $name } du pas { $step }, revenu au pas { $returned }
doubt-overwritten-open = peut avoir été écrasé depuis par { $name } du pas { $step }, qui n’était pas revenu
doubt-signal = un signal ultérieur, ou le retour de son gestionnaire, a pu le changer : après le pas { $step }
doubt-gap = la trace a une lacune après le pas { $step } : ce qui a tourné entre-temps a pu le changer
doubt-a-later-system-call-may = un appel système ultérieur a pu écrire cette mémoire : la trace ne dit pas lesquels ont été faits
doubt-the-trace-leaves-out-instructions = la trace omet des instructions ou des accès
doubt-the-trace-does-not-say = la trace ne dit pas dans quel mode : ce peut être un autre registre de ce nom
doubt-guessed-the-instruction-cannot-be = supposé : l’instruction ne peut pas être décodée, elle peut donc utiliser n’importe quel registre
doubt-guessed-the-instruction-is-conditional = supposé : l’instruction est conditionnelle, et la trace ne dit pas si elle a été exécutée
registers-floating-point-registers = Registres à virgule flottante
physical-physical-address-not-told = adresse physique inconnue
physical-also = { $summary } ; aussi
physical-other-context = { $address } correspondait à l’adresse physique { $physical }, mais un autre contexte a suivi : « at --mem phys::{ $physical } » montre ce qui s’y trouve
physical-also-at = { $summary } ; aussi en { $address }
physical-also-at-in-context = { $summary } ; aussi en { $address }, contexte { $context }
physical-more = { $summary } et { $count } de plus
physical-none = aucune page virtuelle n’est donnée à l’adresse physique { $address } à cette position
physical-told = physique { $address }, page { $page }, donnée à la position { $position }
physical-other = { $summary } ; { $address }
physical-context-other = { $summary } ; { $address } dans le contexte { $context }
physical-context-same = { $summary } ; aussi dans le contexte { $context }
physical-told-in-context = physique { $address }, contexte { $context }, page { $page }, donnée à la position { $position }
threads-name = thread { $name }
threads-process-of = processus { $process }
threads-steps-of = { $count } pas
threads-to = { $first } à { $last }
threads-cores-of = cœurs { $cores }
threads-with-the-process = avec le processus
threads-ended = terminé
threads-killed-or-cut-off = tué ou coupé
threads-the-trace-does-not-say = La trace ne dit pas que ce thread s’est terminé
threads-its-last-step-is-the = Son dernier pas est l’appel système exit
threads-its-last-step-is-the-system = Son dernier pas est l’appel système exit_group, qui a terminé tout le processus
threads-another-thread-ended-the-process = Un autre thread a terminé le processus par exit_group
threads-it-ended-the-trace-has = Il s’est terminé ; la trace n’a pas d’appels système qui diraient comment
threads-guessed-it-ended-without-an = Supposé : il s’est terminé sans appel système de sortie, par un signal ou par l’arrêt de l’enregistrement
source-recorded = enregistré
source-inferred = déduit
source-external-change = modification externe
source-unknown = inconnu
source-recorded-the-trace-states-it = enregistré : la trace l’énonce à la position ou avant
source-inferred-a-later-read-with = déduit : une lecture ultérieure sans écriture entre-temps, ou l’image du programme, le dit
source-external-a-read-differs-from = externe : une lecture diffère de la dernière écriture ; autre chose a écrit là
source-unknown-nothing-states-it = inconnu : rien ne l’énonce
names-system-call = trappe { $number } appel système { $name }
names-trap = trappe { $number } { $name }
names-trap-plain = trappe { $number }
head-state = État
head-allocated-at = Alloué au pas
head-by = Par
head-freed-at = Libéré au pas
heap-blocks = { $count ->
        [one] { $count } bloc
       *[other] { $count } blocs
    }
heap-the-first-blocks = { $count ->
        [one] { $count } premier bloc
       *[other] Les { $count } premiers blocs
    }
heap-alive = { $summary }, { $count ->
        [one] { $count } alloué
       *[other] { $count } alloués
    } ici pour { $size }
heap-listed = { $summary } ; { $count } sont listés
heap-to-come = pas encore alloué
heap-freed = libéré
heap-allocated = alloué
heap-never = jamais
heap-row = bloc { $address } de { $count ->
        [one] { $count } octet
       *[other] { $count } octets
    }
lane-core = cœur { $core }
lane-several-cores = plusieurs cœurs
lane-thread = thread { $thread }
lane-several-threads = plusieurs threads
lane-runs-on = tourne sur { $who }
lane-runs-who = exécute { $who }
lane-runs = tourne
lane-does-not-run-here = ne tourne pas ici
lane-system-calls = { $count ->
        [one] { $count } appel système
       *[other] { $count } appels système
    }
lane-kernel = { $count ->
        [one] { $count } partie
       *[other] { $count } parties
    } du noyau
lane-signals = { $count ->
        [one] { $count } signal ou abandon
       *[other] { $count } signaux, abandons et autres
    }
lane-position = position { $position }
source-no-code-of-file = aucune image n’a de code d’un fichier { $file }
source-no-code-at-line = la ligne { $line } de { $file } n’a pas de code
functions-steps-of = Pas { $first } – { $last }
functions-step-count = { $count ->
        [one] { $count } pas
       *[other] { $count } pas
    }
functions-time-of = temps { $time }
functions-call-count = { $count ->
        [one] { $count } appel
       *[other] { $count } appels
    }
functions-total = au total { $taken }
functions-self = en propre { $taken }
head-function = Fonction
head-module = Module
head-calls = Appels
head-self = Propre
head-self-percent = Propre %
head-total = Total
head-total-percent = Total %
head-self-time = Temps propre
head-time = Temps
head-time-percent = Temps %
functions-none-in = Aucune fonction en { $steps ->
        [one] { $steps } pas
       *[other] { $steps } pas
    }
functions-in = { $count ->
        [one] { $count } fonction
       *[other] { $count } fonctions
    } en { $steps ->
        [one] { $steps } pas
       *[other] { $steps } pas
    }
functions-most = { $summary } ; les { $count } plus longues
functions-merged = { $summary } ; { $count ->
        [one] { $count } appel n’est pas distingué
       *[other] { $count } appels ne sont pas distingués
    } de ce qui l’entoure
functions-row = fonction { $name }
accesses-no-thread = il n’y a pas de thread { $name }
accesses-the-first = Au début : { $rows }
accesses-of-bytes = { $summary } sur { $count ->
        [one] { $count } octet
       *[other] { $count } octets
    } en { $address }
accesses-of = { $summary } de { $what }
accesses-by-thread = { $summary } par le thread { $thread }
accesses-from-step = { $summary } à partir du pas { $step }
accesses-no-read = Aucune lecture
accesses-no-write = Aucune écriture
accesses-no-access = Aucun accès
accesses-no-execution = Aucune exécution
accesses-count-reads = { $count ->
        [one] { $count } lecture
       *[other] { $count } lectures
    }
accesses-count-writes = { $count ->
        [one] { $count } écriture
       *[other] { $count } écritures
    }
accesses-count = { $count ->
        [one] { $count } accès
       *[other] { $count } accès
    }
accesses-count-executions = { $count ->
        [one] { $count } exécution
       *[other] { $count } exécutions
    }
accesses-in-stacks = { $summary } dans { $count ->
        [one] { $count } pile d’appels
       *[other] { $count } piles d’appels
    }
accesses-by-stack = { $count } par { $stack }
accesses-in-no-call = pile d’appels inconnue
accesses-in-other-stacks = d’autres piles d’appels, plus qu’on n’en distingue
accesses-more-callers = { " " }← { $count } de plus
accesses-more-not-listed = … { $count } de plus, comptés mais non listés
accesses-group-by-call-stack = Grouper par pile d’appels
accesses-by-call-stack = Par pile d’appels
accesses-open-group = ouvrir { $name }
accesses-close-group = fermer { $name }
effects-no-call = la position n’est dans aucun appel avec des pas
effects-no-loop = la position n’est dans aucune boucle
effects-no-other-call = il n’y a pas d’autre appel de { $function }
effects-the-same-call = les deux positions sont dans le même appel de { $function }
effects-round = une itération de la boucle à { $head } dans { $function }
effects-summary = { $what }, pas { $from } à { $to } : { $steps } pas, { $inputs ->
        [one] { $inputs } entrée
       *[other] { $inputs } entrées
    }, { $outputs ->
        [one] { $outputs } sortie
       *[other] { $outputs } sorties
    }
effects-undecoded = { $summary } ; les registres de { $count ->
        [one] { $count } pas
       *[other] { $count } pas
    } ne sont pas connus
effects-left-out = { $summary } ; trop de mémoire : { $count ->
        [one] { $count } accès est omis
       *[other] { $count } accès sont omis
    }
effects-more = … { $count } autres plages de mémoire
effects-row = { $kind } { $name }
effects-comparison = { $function } à { $one } et à { $other } : { $inputs ->
        [one] { $inputs } entrée diffère
       *[other] { $inputs } entrées diffèrent
    }, { $outputs ->
        [one] { $outputs } sortie
       *[other] { $outputs } sorties
    } ; séparations des chemins : { $partings }
effects-cut = { $summary } ; la liste est incomplète
effects-one-sided = { $summary } ; { $count ->
        [one] { $count } inconnue d’un côté
       *[other] { $count } inconnues d’un côté
    }
effects-input = entrée
effects-output = sortie
effects-input-one-sided = entrée, inconnue d’un côté
effects-output-one-sided = sortie, inconnue d’un côté
effects-way = chemin
effects-goes-to = vers { $place }
effects-ends = se termine
effects-entry = à l’entrée
effects-meet = se rejoignent à { $place }
effects-meet-no-more = ne se rejoignent plus
effects-what-these-steps = Effets de ces pas
effects-compare-with-previous = Comparer avec l’appel précédent de cette fonction
effects-compare-with-next = Comparer avec l’appel suivant de cette fonction
effects-compare-with-position = Comparer avec l’appel de cette fonction à la position
effects-nothing-was-used = Ces pas n’utilisent ni registre ni mémoire
table-effects = Effets
table-no-steps-are-chosen = Aucun pas sélectionné
table-choose-a-call-or-steps = Clic droit sur un appel, puis « Effets de cet appel », ou sur une plage de la chronologie, puis « Effets de ces pas »
list-how-to-list-effects = Lancez l’une des commandes « Effets de cet appel », « Effets de cette itération », « Effets de pas… » (:).
head-first-call = Premier appel
head-second-call = Second appel
ask-first-position-last-position = Première et dernière position
ask-position-in-another-call = Une position dans l’autre appel
ask-two-positions = deux positions, comme 1190 1255
ask-a-position = une position, comme 1250
detail-more-writes = plus de { $count } écritures
detail-writes = { $count ->
        [one] { $count } écriture
       *[other] { $count } écritures
    } en tout
goto-never-called = jamais appelée
goto-position = position { $position }
goto-after-step = après le pas { $step }
goto-before-step = avant le pas { $step }
goto-at-position = position { $position }
goto-start = début de la trace
goto-end = fin de la trace
goto-in-function = dans { $name }, { $executions }
goto-address = adresse { $address }
goto-memory = mémoire { $address }
goto-in-memory = pas de code, affichée dans Mémoire
goto-line-of = ligne { $line } de { $file }
goto-its-next-execution = sa prochaine exécution
goto-function = fonction, { $calls }
goto-calls = { $count ->
        [one] { $count } appel
       *[other] { $count } appels
    }
goto-calls-over = plus de { $count } appels
goto-executions = { $count ->
        [one] { $count } exécution
       *[other] { $count } exécutions
    }
goto-executions-over = plus de { $count } exécutions
table-the-start = le début
stack-from-step-at = du pas { $step } en { $place }
stack-name-at = { $name } en { $address }
stack-the-trace-shows-no-step = la trace n’en montre aucun pas
stack-found = indice : { $evidence }
calls-entered-from = { $entered } depuis le pas { $step }
calls-the-first = le premier : { $entered }
calls-steps-of = { $count ->
        [one] { $count } pas
       *[other] { $count } pas
    }
calls-steps-of-thread = { $count ->
        [one] { $count } pas
       *[other] { $count } pas
    } de ce thread, { $all } en tout
call-failed = a échoué : { $error }
call-returned = a rendu { $result }
call-function = fonction { $number }
call-system-call = appel système { $number }
find-ends-before = la recherche commence à { $from } et finit avant, à { $to }
find-auto = Auto
find-text = Texte
find-regex = Regex
find-value = Valeur
find-bytes = Octets
find-address-pc = Adresse (pc)
find-accesses = Accès
find-function = Fonction
find-text-of = texte { $text }
find-or = ou { $text }
find-value-of = valeur { $text }
find-bytes-of = octets { $bytes }
find-bytes-at = { $count ->
        [one] { $count } octet
       *[other] { $count } octets
    } en { $address }
find-bytes-at-physical = { $count ->
        [one] { $count } octet
       *[other] { $count } octets
    } à l’adresse physique { $address }
find-reads-of = lectures de { $of }
find-writes-of = écritures de { $of }
find-accesses-of = accès à { $of }
find-entries-of = entrées de { $function }
find-entries-of-several = entrées de { $count } fonctions avec { $text }
find-steps-at-named = pas en { $address } ({ $name })
find-steps-at = pas en { $address }
find-steps-of = pas de { $text }
find-hits = { $count ->
        [one] { $count } résultat
       *[other] { $count } résultats
    }
find-so-far = { $hits } jusqu’ici : { $what }, jusqu’au pas { $searched } ({ $share } %)
flag-negative = négatif
flag-zero = nul
flag-carry = retenue
flag-overflow = débordement
flag-saturated = saturé
find-more-not-kept = { $summary } ; davantage n’est pas gardé : précisez la recherche
find-the-first = Au début { $hits } : { $what }, jusqu’au pas { $searched }
find-stopped = { $hits } jusqu’au pas { $searched }, puis arrêt : { $what }
find-stopped-before-any-hit = Arrêté avant le premier résultat
find-from-step = { $hits } : { $what } à partir du pas { $step }
find-up-to-step = { $hits } : { $what } jusqu’au pas { $step }
find-between-steps = { $hits } : { $what } entre les pas { $from } et { $to }
find-done = { $hits } : { $what }
find-looking-for = Recherche de { $what }
find-no-hit-up-to = Aucun résultat jusqu’au pas { $step } : { $what }
find-no-hit-in-range = Aucun résultat dans cet intervalle : { $what }
find-no-hit = Aucun résultat : { $what }
find-read-as-words = { $words }. Cherché comme des mots : { $reason }
find-no-values = { $words }. La trace n’enregistre pas de valeurs
head-match = Correspondance
find-hit-at-step = résultat au pas { $step }
marker-time = temps { $micros } µs
marker-cpu = cpu { $cpu }
marker-gap-missing = lacune : { $reason } ({ $count } instructions manquent)
marker-thread-ends = le thread { $thread } se termine
marker-is-physical-in-context = { $address } est à l’adresse physique { $physical } dans le contexte { $context }
marker-kernel-part-ends = la partie du noyau dans { $call } se termine
marker-kernel-part-begins = la partie du noyau dans { $call } commence
marker-moved = passé du cpu { $from } au { $to }
marker-the-kernel-restored-the-state = le noyau a rétabli l’état d’avant le signal
marker-window = la fenêtre d’enregistrement { $number } commence ici
marker-the-filtered-part-ends-here = la partie filtrée finit ici
marker-restartable = séquence redémarrable jusqu’à { $place }
marker-context-switch-begins = le changement de contexte commence
marker-context-switch-ends = le changement de contexte se termine
marker-exception = exception ou interruption à { $place }
marker-back-from-the-exception-or = retour de l’exception ou de l’interruption
marker-masked = un accès a été masqué @ { $address }
marker-is-physical = { $address } est à l’adresse physique { $physical }
marker-in-context = { $address } dans le contexte { $context }
marker-no-physical-address-is-known = plus aucune adresse physique n’est connue
marker-no-physical = { $address } n’a pas d’adresse physique connue
marker-idle = le cœur n’a rien à exécuter : { $count } fois
marker-vectors-have = les vecteurs ont { $count } octets
marker-instruction-flush = cache d’instructions vidé @ { $address }
marker-data-flush = cache de données vidé @ { $address }
marker-not-completed = inachevé : { $instruction }
marker-signal = signal { $number }
marker-restartable-sequence-aborted = séquence redémarrable abandonnée
marker-the-kernel-took-control = le noyau a pris la main
marker-before = { $event } avant { $place }
marker-gap = lacune : { $reason }
notes-no-values = les valeurs des registres et de la mémoire ne sont pas enregistrées
notes-by-time = les threads sont ordonnés par leurs temps : entre deux temps d’un thread, ce que d’autres ont fait d’abord n’est pas connu
notes-assumed = la trace ne dit pas son architecture : { $architecture } est supposée (voir --arch)
notes-instructions-were-recorded-without-their = les instructions ont été enregistrées sans leurs octets : indiquez les fichiers du programme par --image ELF ou --sysroot DOSSIER (« Ajouter une image… » dans la fenêtre) pour voir ce qu’elles sont
notes-instructions-were-recorded-without-their-bytes = les instructions ont été enregistrées sans leurs octets : ce qu’elles sont vient des fichiers du programme
notes-the-recorder-left-out-what = l’enregistreur a omis ce que contenaient ses caches : des pas et des accès manquent, un dernier auteur peut donc être faux
notes-no-loads-and-stores-are = aucun accès à la mémoire n’est enregistré
notes-instructions-are-synthetic-and-show = les instructions sont synthétiques : elles nomment des catégories et des registres virtuels, aucune opération du vrai processeur
notes-system-calls-hold-what-the = les appels système contiennent ce que le noyau a exécuté
notes-the-whole-system-is-recorded = tout le système est enregistré, pas un seul programme
notes-these-are-pieces-of-kernel = ce sont des morceaux de code du noyau à insérer dans d’autres traces, pas un programme
notes-its-files-are-cores-and = ses fichiers sont des cœurs, et les temps et processeurs peuvent être ceux d’un ordonnancement simulé
notes-calls-are-not-known = des instructions manquent : les appels effectués ne sont pas connus
notes-the-recording-has-windows-between = l’enregistrement a des fenêtres : entre deux d’entre elles du temps manque

## panels 3

find-what-it-looks-like = texte à chercher
find-ldr-x1-in-any-case = ldr x1   sans égard à la casse
find-example-regex = ^bl\s.*alloc
find-example-value = 0x1f, 31, { $first }+8
find-example-bytes = 67 64 62 ou "gdb"
find-example-address = 80000494, main+8, main.c:12
find-example-accesses = { $first }, 80020010:8, writes of sp, { $first } = 5
find-decode-a-part-will-do = decode, une partie suffit
find-everywhere = Partout
find-from-here-on = À partir d’ici
find-up-to-here = Jusqu’ici
find-between = Entre…
find-read-as = Chercher comme
find-look = Étendue
find-a-word-of-the-instruction = un mot de l’instruction ou des lignes de la trace, sans égard à la casse
find-a-regular-expression-over-the = une expression régulière sur les mêmes
find-a-number-that-a-register = un nombre reçu par un registre ou la mémoire ; une adresse où du code a tourné : ces pas
find-bytes-in-a-row-however = des octets à la suite, écrits n’importe comment ; aussi bytes:"gdb"
find-what-reads-or-writes-memory = ce qui lit ou écrit la mémoire ; access:{ $first } pour un registre, { $first } = 1f avec une valeur, en hexadécimal comme elle est affichée
find-the-entries-of-a-function = les entrées d’une fonction ; function:dec pour une partie du nom
find-the-steps-of-a-source = les pas d’une ligne de source
find-searches-before = Recherches précédentes
find-no-search-yet = Aucune recherche pour l’instant
find-from-position = De la position
find-to-position = À la position
find-stop-the-search = Arrêter la recherche
find-clear-hits-and-marks = Effacer résultats et marques
find-filter = Filtrer
find-go-on = Continuer
find-more-hits = Plus de résultats
find-escape-ends-the-search = Échap met fin à la recherche.
find-escape-stops = Échap arrête la recherche.
find-read-the-text-in-another = Cherchez autre chose, cherchez partout, ou raccourcissez le texte.
find-search-for-something-else = Cherchez autre chose, ou raccourcissez le texte.
find-search-everywhere = Chercher partout
find-type-what-to-look-for = Tapez ce qu’il faut chercher
find-example = exemple { $example }
find-address = adresse
find-as-text = comme { $kind } { $text }
find-as = comme { $kind }
find-searching = Recherche…
timeline-bookmarks = Signets
timeline-bookmarks-moments-and-parts-that = Positions et intervalles marqués d’un signet ; cliquez pour s’y rendre
timeline-position = position { $position }
timeline-not-indexed-yet = pas encore indexé
timeline-several = { $name }, plusieurs appels en { $length } pas
    { $position }
timeline-reads = Lectures
timeline-writes = Écritures
timeline-looking = recherche…
timeline-steps-read = { $part } pas sur { $steps } lisent la mémoire ici
timeline-steps-write = { $part } pas sur { $steps } écrivent la mémoire ici
timeline-all-steps = tous les pas comptent
timeline-some-steps = quelques pas de chaque colonne sont examinés
timeline-how-many-read = Combien de pas lisent la mémoire : { $how }
timeline-how-many-write = Combien de pas écrivent la mémoire : { $how }
timeline-show-the-call-at-the = Cadrer l’appel en cours
timeline-show-the-position = Montrer la position
timeline-show-the-whole-trace = Montrer toute la trace
timeline-steps = { $count ->
        [one] { $count } pas
       *[other] { $count } pas
    }
timeline-zoom-to-it = Le cadrer
timeline-travel-to-its-entry = Aller à son entrée
timeline-travel-to-its-end = Aller à sa fin
timeline-select-it = Le sélectionner
timeline-compare-before-and-after-it = Comparer avant et après
timeline-selection = Sélection
timeline-zoom-to-the-selection = Cadrer la sélection
timeline-compare-its-ends = Comparer ses extrémités
timeline-functions-of-this-range = Fonctions de cet intervalle
timeline-flame-graph-of-this-range = Graphe de flammes de cet intervalle
timeline-calls-of-this-range = Appels de cet intervalle
timeline-save-it-as-a-trace = L’enregistrer comme trace…
timeline-copy-its-positions = Copier ses positions
timeline-select-nothing = Effacer la sélection
timeline-of = { $shown } sur { $all }
timeline-depths-of = { $first }–{ $last } sur { $all }
timeline-timeline = chronologie
timeline-calls = Appels
timeline-threads = Threads
timeline-cores = Cœurs
timeline-shows = la chronologie montre : { $lanes }
timeline-reads-low-and-writes-tall = lectures (basses) et écritures (hautes) de la cellule sélectionnée ; un clic s’y rend
timeline-exceptions-interrupts-traps-and-signals = exceptions, interruptions, trappes et signaux ; un clic s’y rend
timeline-exceptions = Exceptions
timeline-marks = Marques
timeline-hits = Résultats
timeline-nothing-here = pas d’accès ici
timeline-gaps-and-external-changes-a = lacunes et modifications externes ; un clic s’y rend
timeline-what-the-search-found-a = ce que la recherche a trouvé ; un clic s’y rend
timeline-it-means-nothing-at-this = ne peut pas être évalué à cette position
timeline-hint = { $row } : { $hint }
timeline-nothing = { $row } : { $nothing }
    position { $position }
timeline-tick = { $row } : { $what }
    position { $position }
memory-or-decimal = ou décimal = { $value }
memory-or-address = ou adresse { $value }
memory-what-was-typed-can-be = Ce qui a été tapé peut se lire de deux façons
memory-follow = suivre l’expression
memory-follow-on = Suivre l’expression : oui   E
memory-follow-off = Suivre l’expression { $expression }   E
memory-address = adresse
memory-group-by = grouper par { $count ->
        [one] { $count } octet
       *[other] { $count } octets
    }
memory-just-written = écrit à l’instant
memory-differs = diffère
memory-inferred = déduit
memory-external-2 = externe
memory-last-written = dernière écriture
memory-last-read = dernière lecture
memory-what-the-marks-of-bytes = légende des couleurs des octets
memory-just-written-by-the-step = écrit à l’instant : par le pas juste avant la position
memory-differs-from-the-position-where = diffère : de la position où la fenêtre était avant
memory-the-trace-has-no-values = La trace n’a pas de valeurs : un octet dit s’il a été écrit ou lu en dernier, des points qu’il n’a pas encore été touché
memory-no-stack-pointer = Le pointeur de pile n’est pas enregistré : tapez une adresse
memory-leads-to = mène à { $name }
memory-holds = { $at } contient { $value }, { $name } : un clic y affiche la mémoire
memory-external-read-by = externe, lu par le pas{ " " }
memory-pointed = sous le pointeur
memory-was = valait
memory-now = vaut
memory-last-write = dernière écriture{ " " }
memory-written-by = { $what } écrits par le pas{ " " }
memory-last-read-step = dernière lecture{ " " }
memory-next-write = prochaine écriture{ " " }
memory-next-read = prochaine lecture{ " " }
memory-never-written-before = jamais écrit avant
memory-state-written-by = { $state }, écrit par le pas{ " " }
memory-state-never-written = { $state }, jamais écrit avant
memory-before = avant
memory-physical = adresse physique { $address }
memory-byte-at = Octet en { $address }
memory-last-write-of-the-byte = Dernière écriture de l’octet
memory-last-write-of-the-half = Dernière écriture du demi-mot
memory-last-write-of-the-word = Dernière écriture du mot
memory-last-write-of-the-double = Dernière écriture du double mot
memory-next-write-2 = Prochaine écriture
memory-last-read-2 = Dernière lecture
memory-next-read-2 = Prochaine lecture
memory-list-all-accesses = Lister tous les accès
memory-all-values = Toutes les valeurs
memory-watch = Espionner
memory-name-this-memory = Nommer cette mémoire…
memory-begin-here = Commencer ici
memory-copy-address = Copier l’adresse
memory-copy-value = Copier la valeur
memory-memory = Mémoire
memory-never-accessed-from = jamais touchée à partir de { $address }
memory-16-eib = 16 Eio
memory-never-accessed = { $size } jamais touchés
memory-marked = marqué { $title }
memory-byte = octet { $address }
memory-text-at = texte en { $address }
trace-go-to = aller à
trace-show-line = afficher la ligne { $line }
trace-to-the-call-of = à l’appel de { $name }
trace-step-head = Pas { $step }
trace-name-its-function = Poser un signet sur sa fonction…
trace-name-its-address = Poser un signet sur son adresse…
trace-folded-call = Appel plié
trace-unfold-this-call = Déplier cet appel
trace-unfold-all = Tout déplier
trace-compare-before-and-after-this = Comparer avant et après cet appel
trace-open-window-at-its-first = Ouvrir une fenêtre à son premier pas
trace-travel-here = Aller ici
trace-open-window-here = Ouvrir une fenêtre ici
trace-compare-with-here = Comparer avec ici
trace-move-window = Amener la fenêtre { $number } ici
trace-fold-this-call = Plier cet appel
trace-fold-the-function-around-it = Plier la fonction qui l’entoure
trace-fold-all-calls-from-its = Plier tous les appels de sa fonction
trace-unfold-all-inside-its-function = Tout déplier dans sa fonction
trace-fold-all = Tout plier
trace-last-write-of = Dernière écriture de { $cell } avant lui
trace-next-write-of = Prochaine écriture de { $cell } après lui
trace-show-memory-at = Afficher la mémoire à { $cell }
trace-all-values-of = Toutes les valeurs de { $cell }
trace-watch = Espionner { $cell }
trace-next-execution = Prochaine exécution
trace-previous-execution = Exécution précédente
trace-all-executions = Toutes les exécutions
trace-copy-address = Copier l’adresse
trace-copy-instruction = Copier l’instruction
trace-copy-value = Copier la valeur
trace-copy-line-number = Copier le numéro de ligne
trace-copy-row = Copier la ligne
trace-copy-command-that-opens-it = Copier la commande qui l’ouvre
trace-more = { $count ->
    [one] +{ $count } autre
   *[other] +{ $count } autres
}
trace-exception = exception
trace-at = en
trace-exception-number = numéro
trace-folded-steps = { $count ->
        [one] { $count } pas plié
       *[other] { $count } pas pliés
    }
trace-trace = Trace
trace-line = ligne { $number }
trace-before-the-first-step = avant le premier pas
trace-of-step = pas { $step }
trace-line-head = Ligne { $line }
trace-copy-line = Copier la ligne
trace-end-of-trace = Fin de la trace
trace-end-of-what-is-indexed = Fin de ce qui est indexé
trace-step = pas { $step }
trace-unfold-step = déplier le pas { $step }
trace-fold-step = plier le pas { $step }
trace-call = appel
trace-folded = plié { $name }

## expr

expression-empty = il faut une adresse : un nombre, un registre, un symbole, ou une somme comme sp+8
expression-value-missing = il manque à la fin un nombre, un registre, un symbole ou de la mémoire
expression-not-a-value = il faut un nombre, un registre, un symbole ou de la mémoire au lieu de { $text }
expression-not-an-operator = il faut un opérateur avant { $text } : { $operators }
expression-equality = utilisez == pour comparer
expression-character = caractère inattendu { $character }
expression-backtick = accent grave fermant manquant
expression-parenthesis-open = parenthèse fermante manquante
expression-parenthesis-closed = parenthèse ouvrante manquante
expression-bracket-open = crochet fermant manquant
expression-bracket-closed = crochet ouvrant manquant
expression-too-deep = trop de parenthèses, de crochets ou de signes imbriqués
expression-unknown = { $name } est inconnu à cette position
expression-failed = { $name } n’a pas pu être cherché : { $why }
expression-memory-unknown = la mémoire en { $address } est inconnue à cette position
expression-memory-failed = la mémoire en { $address } n’a pas pu être cherchée : { $why }
expression-no-register = aucun registre ne s’appelle { $name }
expression-no-symbol = aucun symbole ne s’appelle { $name }
expression-no-name = ni registre ni symbole ne s’appelle { $name }
expression-thread-local = { $name } est une variable locale à un thread ; son adresse n’est pas connue
expression-no-images = ni registre ni symbole ne s’appelle { $name } (pas d’image : donnez-en une par --image)
expression-no-variable = aucune variable ne s’appelle { $name } ici
expression-not-a-variable = seule une variable a des éléments, des membres ou une cible ; [sp] est la mémoire en sp
expression-type = les types dans les expressions ne sont pas pris en charge ; u32[x] lit la mémoire avec une largeur
local-null-pointer = { $value } est un pointeur nul
local-no-member = { $value } n’a pas de membre { $member }
local-no-element = { $value } n’a pas d’élément { $index }
local-no-target = { $value } n’est pas un pointeur vers un type connu
local-floating-point = c’est un nombre à virgule flottante, pas un entier
local-too-wide = il a plus de 64 bits
local-no-variant-member = la variante active de { $value } n’a pas de membre { $member }
local-unknown-variant = la variante active de { $value } n’est pas enregistrée
local-structure = c’est une structure ; & donne son adresse
local-no-integer = ce n’est pas un entier
local-unknown-size = sa taille n’est pas connue
local-not-in-memory = elle n’est pas en mémoire ici
local-optimised-away = elle est éliminée ici par l’optimisation
local-unsupported-place = son emplacement est d’un genre non pris en charge
local-unreadable-place = ses informations de débogage sont endommagées
expression-several-functions = { $count } fonctions s’appellent { $name } : { $functions } ; écrivez l’un de ces noms entre accents graves
expression-several-symbols = { $count } symboles s’appellent { $name }, en { $addresses } : écrivez l’adresse voulue
expression-division-by-zero = division par zéro
expression-no-number = { $name } n’a pas de valeur entière : { $why }
expression-target-size-unknown = la taille de la cible du pointeur n’est pas connue
expression-hexadecimal = { $text } n’est pas un nombre ; s’il est hexadécimal, écrivez 0x{ $digits }
reading-hexadecimal-alone = { $text } est lu en hexadécimal : { $taken }
reading-hexadecimal = { $text } est lu en hexadécimal : { $taken } ; en décimal, ce serait { $other }
reading-decimal = { $text } est lu comme un nombre décimal, { $taken } ; pour l’hexadécimal, écrivez { $other }
reading-name = { $text } est lu comme un nom, { $taken } ; pour l’adresse, écrivez { $other }
reading-symbol = { $text } est lu comme le symbole, { $taken } ; pour le registre, écrire reg::{ $text }
expression-column = colonne { $column } : { $what }
memory-column = colonne{ " " }
meaning-empty = rien à chercher : tapez un mot, un nombre, une adresse ou un nom
meaning-pattern = caractère { $at } : { $what } ; choisissez Texte pour le chercher tel quel
meaning-too-long = le texte est trop long pour être cherché
meaning-value = ce n’est pas une valeur : { $error } ; écrivez 31, 0x1f ou une expression comme { $first }+8
meaning-bytes = ce ne sont pas des octets : { $text } ; écrivez des paires de chiffres hexadécimaux (67 64 62) ou un texte entre guillemets ("gdb")
meaning-code = ce n’est pas une adresse de code : { $error } ; écrivez 0x80000494, main+8 ou main.c:12
meaning-cell = ni registre ni mémoire : { $error } ; écrivez { $first }, 0x80020010:8, sp+8:4 ou { $first } = 0x1f
meaning-no-code-of-line = aucun code du programme ne correspond à { $line }
meaning-no-function = aucune fonction n’a { $text } dans son nom ; choisissez Texte pour chercher le mot dans la trace
meaning-functions = { $count } fonctions s’appellent ainsi, plus de { $most } : tapez davantage du nom
place-a-percentage-is-a-number = un pourcentage est un nombre comme 50% ou 33.3%
place-percentages-go-from-0-to = les pourcentages vont de 0% à 100%
place-needed = il faut une position : { $forms }
place-position-beyond = la position { $position } est après la fin de la trace ({ $end })
system-not-found = ni fichier ni dossier de ce nom : vérifiez le chemin
system-permission = accès refusé : choisissez un autre endroit ou changez les droits
system-full = le disque est plein : libérez de la place ou choisissez un autre endroit
system-read-only = le système de fichiers est en lecture seule : choisissez un autre endroit
system-directory = c’est un dossier : nommez un fichier
system-no-directory = une partie du chemin n’est pas un dossier : vérifiez le chemin
name-no-code = aucune image n’a de code de la ligne { $line } de { $file }
place-symbol-meant = pour une fonction, écrivez pc:{ $text }
place-no-position = { $text } n’est pas une position ({ $forms })
place-no-raw-text = le texte brut n’est pas disponible pour ce format : donnez un pas, un temps ou une adresse au lieu de line:{ $line }
place-line-beyond = la ligne { $line } est après la fin de la trace, qui est la ligne { $end }
place-record-beyond = l’enregistrement { $record } est après la fin de la trace, qui est l’enregistrement { $end }
place-no-step-at = aucun pas de la trace n’est en { $address }
place-fewer-at = moins de { $count } pas de la trace sont en { $address }
place-negative = { $text } n’est pas un nombre entier : les positions commencent à 0, le début
place-not-whole = { $text } n’est pas un nombre entier
place-too-large = { $text } ne tient pas en 64 bits
place-a-time-is-a-number = un temps est un nombre tel que la trace l’écrit
place-after-stands-which-visit-is = après # vient le numéro de la visite
place-visits-count-from-1 = les visites comptent à partir de 1
place-a-number-is-missing = il manque un nombre

## more

dialog-session-files = Sessions
dialog-file-not-written = le fichier n’a pas pu être écrit : { $path }
files-dialog-failed = la boîte de dialogue a échoué : { $error }
files-folder-unreadable = le dossier ne peut pas être lu : { $folder }

## k

key-period = Point
key-comma = Virgule
key-semicolon = Point-virgule
key-colon = Deux-points
key-slash = Barre oblique
key-quote = Apostrophe
key-backtick = Accent grave
key-pipe = Barre verticale
key-questionmark = Point d’interrogation
key-exclamationmark = Point d’exclamation
key-insert = Inser
key-tab = Tab

## late

picture-not-saved = l’image n’a pas pu être enregistrée : { $path }
preferences-keys-not-taken = les touches n’ont pas pu être importées : { $error }
preferences-no-keys = ce n’est pas un fichier de touches : { $path }
kept-trace-missing = la trace de la session est absente : { $trace }

## late2

kept-other-trace = ce n’est pas la trace dont la session a été gardée : elle avait { $before ->
        [one] { $before } pas
       *[other] { $before } pas
    }, celle-ci en a { $now ->
        [one] { $now }
       *[other] { $now }
    } ; ce qui était marqué peut être ailleurs

## merge

line-no-equals = la commande n’est pas suivie de =
memory-written-by-step-in = écrit par le pas { $step } dans { $function }
memory-written-by-step = écrit par le pas { $step }
memory-no-step-wrote-it-before = aucun pas ne l’a écrit avant
memory-valid-until = valable jusqu’à son écriture au pas { $step }
memory-no-later-step-writes-it = aucun pas ultérieur ne l’écrit
effect-inferred = { " " }(déduit)
glimpse-too-long = { $count } octets : trop pour être affichés
glimpse-holds = contient { $value }
glimpse-before = avant { $value }
glimpse-after = après { $value }
glimpse-written-by = écrit avant par le pas { $step } dans { $function }
marker-prefetch-of = préchargement [{ $address }]
memory-nothing-to-look-for = rien à chercher : tapez des octets (67 64 62), un nombre ou un texte
head-first = Début
head-last = Fin
head-accessed = Lu ou écrit
head-rights = Droits
head-kind = Genre
head-what = Quoi
regions-summary = { $count ->
        [one] { $count } région
       *[other] { $count } régions
    }, { $size } lus ou écrits
regions-the-first = { $summary }, les { $count } premières
regions-code = code
regions-data = données
regions-not-loaded = non chargé
regions-unknown = inconnu
regions-stack = pile
regions-heap = tas
regions-blocks = { $count ->
        [one] { $count } bloc alloué
       *[other] { $count } blocs alloués
    } ici
regions-row = région { $address }
registers-as-hex = hexadécimal
registers-as-unsigned = non signé
registers-as-signed = signé
registers-as-float = virgule flottante
registers-as-text = texte
head-from-sp = Depuis sp
head-saved = Sauvegardé
head-frame = Cadre
head-written-by = Écrit par
head-line = Ligne
head-byte = Octet
head-times = Fois
head-warning = Avertissement
head-watch = Espion
head-type = Type
head-next-write = Prochaine écriture
head-means = Signification
stackmem-the-stack-pointer-is-unknown = Le pointeur de pile est inconnu ici
stackmem-words = { $count ->
        [one] { $count } mot
       *[other] { $count } mots
    } au-dessus du pointeur de pile { $pointer }
stackmem-words-of-thread = { $count ->
        [one] { $count } mot
       *[other] { $count } mots
    } au-dessus du pointeur de pile de { $thread } { $pointer }
stackmem-nothing-is-accessed = Aucun pas n’accède à la mémoire au-dessus du pointeur de pile { $pointer }
stackmem-nothing-is-accessed-of-thread = Aucun pas n’accède à la mémoire au-dessus du pointeur de pile de { $thread } { $pointer }
stackmem-gap-row = inutilisé { $address }
stackmem-gap = … { $count } octets
stackmem-unknown = inconnu
stackmem-row = mot { $address }
stackmem-stale = reste de { $function }
stackmem-return-address = adresse de retour
stackmem-register-return = { $register }, adresse de retour
compare-all = Toutes
compare-written = Écrites
compare-read = Lues
compare-cells-that-were-written-between = cellules écrites entre les deux
compare-cells-that-were-read-between = cellules lues entre les deux
compare-all-cells-small = toutes les cellules qui diffèrent
compare-all-cells-that-differ = Toutes les cellules qui diffèrent
compare-cells-that-differ-and-that = Cellules qui diffèrent et qu’un pas entre les deux positions a écrites
compare-cells-that-differ-and-that-a = Cellules qui diffèrent et qu’un pas entre les deux positions a lues
compare-first-read-between = Première lecture entre les deux
compare-first-write-between = Première écriture entre les deux
memory-stack-bias = Ici sp est là où se trouve la pile : le registre plus { $bias }. Sur la ligne de commande, c’est le registre seul
memory-looking-through = Parcours de la mémoire… un clic l’arrête
memory-nothing-yet = Rien n’a encore été cherché : Rechercher en mémoire…
memory-at-window = { $at } (fenêtre { $number })
memory-no-changed-byte-above-the = Aucun octet modifié au-dessus du curseur
memory-no-changed-byte-below-the = Aucun octet modifié sous le curseur
memory-not-found-above-the-cursor = Introuvable au-dessus du curseur dans ce qui est connu ici
memory-not-found-below-the-cursor = Introuvable sous le curseur dans ce qui est connu ici
memory-number-at = nombre en { $address }
memory-heap = tas : { $words }
memory-value-at = { $value } à { $place }
memory-how-memory-is-shown = options d’affichage de la mémoire
memory-how-memory-is-shown-comparing = Affichage de la mémoire, comparaison, recherche
memory-rows-as-wide-as-there = Lignes aussi larges que possible
memory-rows-of-8-bytes = Lignes de 8 octets
memory-rows-of-16-bytes = Lignes de 16 octets
memory-rows-of-32-bytes = Lignes de 32 octets
memory-rows-of-64-bytes = Lignes de 64 octets
memory-numbers-of-floating-point = Nombres à virgule flottante
memory-text-as-ascii = Texte en ASCII
memory-text-as-utf-8 = Texte en UTF-8
memory-differs-from-the-position-before = Différences avec la position précédente
memory-differs-from-window = Différences avec la fenêtre { $number } au pas { $position }
memory-differs-from-here-wherever-the = Différences avec ici, où qu’aille la position
memory-next-changed-byte = Prochain octet modifié
memory-previous-changed-byte = Octet modifié précédent
memory-find-in-memory = Rechercher en mémoire…
memory-regions-of-memory = Régions de mémoire
memory-stack-memory = Mémoire de la pile
memory-against = contre { $what }
memory-end-comparing-memory = ne plus comparer la mémoire
memory-bytes-that-differ-from-there = Les octets qui diffèrent de là-bas sont marqués ; le pointeur dit ce qu’ils y sont. Un clic y met fin   D
registers-stack-lies-at = la pile est en { $address } : les panneaux de mémoire le montrent pour sp, pas la ligne de commande
registers-show-as = Afficher comme
registers-lower-halves = Moitiés basses
detail-the-first-lines-of-the = les premières lignes de la trace
table-regions = Régions de mémoire
table-stack-memory = Mémoire de la pile
table-travel-to-its-write = Aller à son écriture
table-the-trace-has-no-loads-and = La trace n’a ni accès à la mémoire ni images.
table-go-to-a-position-where = Allez à une position où le pointeur de pile est connu et la pile utilisée.
trace-click-select-it-double-click = Clic : la sélectionner. Double-clic : dernière écriture
trace-in-the-traces-own-words = Dans les termes de la trace : une adresse, le numéro de l’événement en hexadécimal, et son nom

## Commands of registers and memory

command-registers-core = Registres de base
command-registers-single-precision = Registres simple précision
command-registers-double-precision = Registres double précision
command-registers-vector = Registres vectoriels
command-registers-sve = Registres SVE
command-registers-system = Registres système
command-registers-as-hex = Registres en hexadécimal
command-registers-as-unsigned = Registres sans signe
command-registers-as-signed = Registres avec signe
command-registers-as-floating-point = Registres en virgule flottante
command-registers-as-text = Registres en texte
command-lower-halves-of-registers = Moitiés basses des registres
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
command-find-next-in-memory = Résultat suivant dans la mémoire
command-find-previous-in-memory = Résultat précédent dans la mémoire
effect-bytes-inferred = { " " }({ $bytes }, déduit)

## fin

lookup-no-exception-before = il n’y a ni exception, ni interruption, ni trappe, ni signal avant cette position
lookup-no-bad-end = rien n’indique que la trace se termine mal
lookup-no-exception-after = il n’y a ni exception, ni interruption, ni trappe, ni signal après cette position
line-old-new = écrivez ANCIEN NOM = NOUVEAU NOM, non { $text }
find-keep-search-as = Enregistrer la recherche sous…
find-run = Lancer
find-in-a-panel-of-its = Dans un nouveau panneau
find-forget = Supprimer
find-rename = Renommer
find-searches-before-up-in-the-field = Recherches récentes (Haut dans le champ) et recherches enregistrées
find-only-hits-in-the-list = Seulement les résultats dans la liste des pas (H)
find-mark-these-hits = Marquer ces résultats
find-close-the-panel-or-look = Fermez le panneau, ou cherchez autre chose.
memory-waveform = Courbe
registers-waveform-of = Courbe de { $name }
source-not-in-the-trace = hors de la trace
source-executed = exécuté
export-filter = Filtrer
timeline-waveform = courbe
timeline-read-as = Lire comme
timeline-move-it-up = La monter
timeline-watch-it = L’espionner
timeline-take-the-waveform-away = Retirer la courbe
timeline-calls-threads = Appels, threads
timeline-calls-cores = Appels, cœurs
timeline-below = + { $count } dessous
timeline-wave = { $name } au long de la trace ; un clic sur un changement s’y rend, le menu la retire
timeline-unknown = inconnu
timeline-or-more = { " " }ou plus

## Colours and windows

command-colour-yellow = Couleur jaune
command-colour-red = Couleur rouge
command-colour-green = Couleur verte
command-colour-blue = Couleur bleue
command-colour-pink = Couleur rose
command-colour-grey = Couleur grise
command-trace-window-1 = Fenêtre de trace 1
command-trace-window-2 = Fenêtre de trace 2
command-trace-window-3 = Fenêtre de trace 3
command-trace-window-4 = Fenêtre de trace 4

## Hits, raw text, searches and settings files

watches-waves-full = la chronologie ne peut pas montrer plus de valeurs : { $error }
watches-waveform = Forme d’onde dans la chronologie
find-first-for-hits = Cherchez d’abord quelque chose ; ceci n’en montre que les résultats
find-first-for-keeping = Cherchez d’abord quelque chose ; ceci enregistre la recherche
find-not-kept = la recherche n’est pas enregistrée : { $error }
find-kept-as = Recherche enregistrée sous « { $name } »
find-forgotten = Recherche « { $name } » supprimée
find-none-kept = aucune recherche n’est enregistrée sous « { $name } » : utilisez « Enregistrer la recherche sous… »
find-none-kept-so = aucune recherche n’est enregistrée sous « { $name } » : choisissez parmi { $names }
settings-not-read = les paramètres ne sont pas lus : { $error }
settings-no-file = ce n’est pas un fichier de paramètres : { $path }
settings-not-kept = les paramètres ne sont pas conservés : { $path }
settings-unusable = un paramètre est inutilisable : { $setting }
settings-no-keys-in-it = il n’a pas de section [keys]
settings-keys-are-lists = les touches sont une liste de textes, comme dans "Step over" = ["F10", "N"] : { $name }
lookup-looking = Recherche…
lookup-looked = Recherche : { $count } pas jusqu’ici
lookup-stop = Annuler la recherche et garder la position (Échap)
opening-title = Ouverture de { $name }
opening-first-part = Elle s’affiche dès que sa première partie est lue ; Échap abandonne
opening-so-far = { $count } pas jusqu’ici, { $share } % ; Échap abandonne
palette-search = Recherche { $name }
moves-only-hits-are-shown = Seuls les résultats sont montrés : les appels se plient là où sont tous les pas (H)
raw-no-text = Le texte brut n’est pas disponible pour ce format
raw-no-text-advice = R montre de nouveau ses pas.
raw-show-steps = Montrer les pas au lieu du texte brut
raw-show-steps-again = Montrer de nouveau les pas (R)
raw-of-lines = { $count ->
    [one] Texte brut : { $count } ligne. Les appels se plient dans la liste des pas
   *[other] Texte brut : { $count } lignes. Les appels se plient dans la liste des pas
}
hits-all-steps = Tous les pas
hits-show-all-steps = Montrer de nouveau tous les pas (H ou Échap)
hits-around = Résultats avec { $count } pas autour
hits-only = Résultats seuls : { $hits } sur { $steps } pas
hits-only-none = Résultats seuls : encore aucun sur { $steps } pas
hits-show-these = Cliquer pour montrer ces pas
hits-hidden = … { $count } pas
hits-hidden-outside = … { $count } pas hors de ce qui est parcouru
hits-hidden-not-yet = { $count ->
    [one] … { $count } pas pas encore parcouru
   *[other] … { $count } pas pas encore parcourus
}
hits-hidden-not-all = { $count ->
    [one] … { $count } pas, pas encore entièrement parcouru
   *[other] … { $count } pas, pas encore tous parcourus
}
timeline-wave-writes = { $count ->
    [one] { $count } écriture{ $more } à partir de la position { $position } ; après elles
   *[other] { $count } écritures{ $more } à partir de la position { $position } ; après elles
}
timeline-wave-written = écrit à la position { $position }
timeline-wave-before = depuis avant cette partie
timeline-wave-position = position { $position }

## Errors of files, keys and places

storage-unread = les réglages ne sont ni lus ni gardés : le fichier { $why } : { $file }
storage-unread-damaged = est endommagé et n’a pas pu être mis de côté ({ $error })
storage-unread-refused = ne peut pas être lu ({ $error })
storage-unread-no-file = est un dossier, un tube ou un périphérique
storage-unread-long = dépasse { $megabytes } Mo
storage-salvaged = le fichier des réglages était endommagé : ce qui a pu en être lu est utilisé, et le fichier endommagé est gardé sous { $aside }
storage-lost = le fichier des réglages était endommagé : rien n’a pu en être lu, et le fichier endommagé est gardé sous { $aside }
marks-too-many = il y a déjà { $most } signets, le maximum
kept-searches-too-many = il y en a déjà { $most }, le maximum : supprimez-en une
kept-search-too-long = son texte a plus de { $most } caractères : cherchez-en une partie
watches-too-many = il y a déjà { $most } expressions surveillées
session-line = ligne { $line } : { $what }
session-range-backwards = la partie d’un signet finit avant son début
session-address = l’adresse { $address } est { $error }
session-no-place = un signet a une position, ou un début et une fin, ou une adresse
session-too-long = plus de { $most } octets
session-newer = écrit par une version plus récente de Stepback : version { $version }
session-none = pas une session : stepback_session = 1 manque
keys-too-many = une commande a au plus { $most } touches
keys-no-key = pas une touche : { $text }
place-no-date = { $text } n’est pas une date comme 2026-11-22 02:18:29.000123
place-no-dates = { $place } est une date, et les temps de cette trace sont de simples nombres : utilisez time:N
place-time-ambiguous = time:{ $time } est ambigu : le temps recule par-dessus à l’étape { $step } ; ceci est la position d’avant, et une d’après peut être voulue
place-time-ambiguous-often = time:{ $time } est ambigu : le temps recule par-dessus à l’étape { $step } et à { $more } autres ; ceci est la position d’avant, et une d’après peut être voulue
place-no-times = cette trace n’a pas de temps, il n’y a donc pas de time:{ $time } : utilisez N, 50% ou pc:ADDR
place-no-records = { $format } n’a pas d’enregistrements numérotés : utilisez line:{ $number }
place-no-kind = { $kind } n’est ni line, ni i, ni r, ni time, ni pc
place-instructions-from-one = les instructions se comptent à partir de 1
place-records-from-one = les enregistrements se comptent à partir de 1
place-lines-from-one = les lignes se comptent à partir de 1
place-no-number = { $text } n’est pas un nombre
place-many-digits = { $text } a plus de { $most } chiffres après la virgule
place-number-too-large = { $text } est trop grand

## Le navigateur dans le terminal
terminal-only-in-the-window = Ceci n’existe que dans la fenêtre
terminal-label = { $label } :
terminal-titled = { $title } : { $text }
terminal-ask-place = Aller à (pas, line:7, 50 %, nom)
terminal-ask-trace = Trace ou session à ouvrir
terminal-ask-session = Enregistrer la session sous
terminal-ask-text-place = Enregistrer sous
terminal-name-the-trace = ouvrez d’abord la trace, puis la session { $file }
terminal-demo-hint = La démo : un serveur plante sur un pointeur écrasé. Qu’est-ce qui l’a écrasé ? Fin : le plantage, W : pourquoi, F1 : touches
terminal-warnings =
    { $count ->
        [one] { $count } ligne n’a pas pu être lue : `:` Afficher Avertissements
       *[other] { $count } lignes n’ont pas pu être lues : `:` Afficher Avertissements
    }
terminal-trace-changed = Le fichier de la trace a changé : ce qui est affiché est l’ancien. `:` Recharger le relit
terminal-trace-grown = La trace a grandi. `:` Suivre montre la suite, `:` Recharger la relit
terminal-about = Stepback { $version }, dans le terminal. F1 montre les touches
terminal-open-first = Aucune trace n’est ouverte : `:` Ouvrir… en demande une
terminal-copied = Copié, si le terminal permet aux programmes de copier (OSC 52)
terminal-too-long-to-copy = C’est trop long pour le presse-papiers du terminal
terminal-no-cell = Ni registre ni mémoire n’est choisi : Tab va à leurs volets, les flèches choisissent
terminal-palette-title = Commandes : tapez une partie du nom ; Entrée exécute, Tab complète, Échap ferme
terminal-in-the-window = dans la fenêtre
terminal-no-command = Aucune commande ne s’appelle ainsi
terminal-no-key = Cette touche ne fait rien ici : F1 montre les touches, `:` toutes les commandes
terminal-given-up = Annulé
terminal-list-takes-the-rest = La liste des pas prend ce que laissent les autres volets : redimensionnez ceux-ci
terminal-not-saved = L’enregistrement a échoué ({ $error }) : { $path }
terminal-too-small = Le terminal est trop petit
terminal-opening = Ouverture de { $name } …
terminal-nothing-open =
    Aucune trace n’est ouverte.

    :   toutes les commandes ; Ouvrir… demande une trace, Ouvrir la démo montre ce qui est possible
    F1  les touches
    q   la fin
terminal-esc-stops = { $words } (Échap arrête)
terminal-searching =
    { $count ->
        [one] Recherche : { $count } résultat jusqu’ici (Échap arrête)
       *[other] Recherche : { $count } résultats jusqu’ici (Échap arrête)
    }
terminal-following = Suit la trace (Échap termine)
terminal-left = , encore { $time }
terminal-indexing = Indexation { $share } % de { $size }, { $steps } pas jusqu’ici (Échap arrête)
terminal-locked-to = fixé à { $place }, position { $position }
terminal-locked = fixé à la position { $position }
terminal-points-nowhere = (ni symbole ni texte à cet endroit)
terminal-no-such-register = Aucun registre de ce groupe n’a « { $text } » dans son nom
terminal-key-follow-address = L’adresse suit les registres qu’elle nomme, ou reste
terminal-looking-through-memory = Recherche dans la mémoire… une flèche l’arrête
terminal-there = là-bas { $value }
terminal-key-next-pane = Au volet suivant
terminal-key-last-pane = Au volet précédent
terminal-key-help = Ces touches
terminal-key-quit = Quitter
terminal-key-palette = Toutes les commandes par leur nom
terminal-key-search = Chercher : un mot, /expression régulière/, un nombre, une adresse
terminal-key-search-back = De même, en arrière
terminal-key-again = Résultat suivant de la dernière recherche
terminal-key-again-back = Résultat précédent
terminal-key-zoom = Ce volet prend tout l’écran, ou ne le prend plus
terminal-key-memory = Un autre volet de mémoire, à une adresse
terminal-key-core = Registres généraux : un volet s’ouvre ou se ferme
terminal-key-single = Registres simple précision, de même
terminal-key-double = Registres double précision, de même
terminal-key-vector = Registres vectoriels, de même
terminal-key-mve = Registres vectoriels MVE : ils partagent le volet avec NEON
terminal-key-system = Registres système, de même
terminal-key-colors = Couleurs du code, ou non
terminal-key-symbols = Symboles au lieu d’adresses, ou non
terminal-key-step-back = Un pas en arrière
terminal-key-step = Un pas en avant
terminal-key-page-back = Un écran en arrière
terminal-key-page = Un écran en avant
terminal-key-start = Au début
terminal-key-end = À la fin
terminal-key-arrange = La position au milieu, en haut, en bas du volet
terminal-key-fold = Plier l’appel autour de la position
terminal-key-unfold = Déplier l’appel plié à la position
terminal-key-fold-inside = Plier tous les appels de cette fonction
terminal-key-unfold-inside = Déplier tout dans cette fonction
terminal-key-fold-all = Tout plier
terminal-key-unfold-all = Tout déplier
terminal-key-line = Aller à une ligne de la trace
terminal-key-time = Aller à un temps
terminal-key-visit = Pas suivant à une adresse
terminal-key-visit-back = Pas précédent à une adresse
terminal-key-pick = Choisir ce que le dernier pas a fait, un effet après l’autre
terminal-key-pick-write = À l’écriture précédente de ce qui est choisi
terminal-key-cursor = Déplacer le curseur
terminal-key-last-write = À la dernière écriture de ce qui est sous le curseur
terminal-key-lock-line = Fixer le volet à une ligne de la trace
terminal-key-lock-time = Fixer le volet à un temps
terminal-key-lock = Fixer le volet au moment qu’il montre, ou le libérer
terminal-key-point = Dire ce que la valeur désigne, ou ne plus le dire
terminal-key-changed-back = À l’octet changé précédent
terminal-key-changed = À l’octet changé suivant
terminal-key-compare = Comparer avec la mémoire à une ligne de la trace
terminal-key-write-1 = À la dernière écriture de cet octet
terminal-key-write-2 = … des 2 octets alignés
terminal-key-write-4 = … des 4 octets alignés
terminal-key-write-8 = … des 8 octets alignés
terminal-key-address = Montrer une autre adresse
terminal-key-lower = Une ligne de moins pour ce volet
terminal-key-higher = Une ligne de plus
terminal-key-travel = Aller à ce qui est sous le curseur, ou l’ouvrir
terminal-help-title = Touches : Haut, Bas, PgPréc et PgSuiv font défiler, toute autre touche ferme
terminal-help-everywhere = Dans tous les volets
terminal-help-trace = Dans la liste des pas
terminal-help-cells = Dans les volets de registres et de mémoire
terminal-help-registers = Dans les volets de registres
terminal-help-memory = Dans les volets de mémoire
terminal-help-compare = Dans la comparaison
terminal-help-others = Dans tous les volets sauf les pas
terminal-help-prompts =
    Pendant qu’un texte est tapé
    Entrée  le prendre
    Échap Ctrl-G  y renoncer
    Ctrl-W  effacer le mot avant le curseur
    Ctrl-U  tout effacer
    Haut Bas  ce qui a été tapé avant
terminal-help-always =
    À tout moment
    Échap  renoncer à une recherche ; arrêter l’indexation ou le suivi
    Ctrl-Z  au shell ; fg revient
terminal-help-window = Comme dans la fenêtre
terminal-help-differences = Touches de la fenêtre qui ont leur propre ligne ci-dessus
terminal-help-lost = { $command } dans la fenêtre ; ici aussi par son nom, avec `:`
terminal-folded = { $name } : { $count } pas
terminal-hidden-slice = … { $count } pas hors de la tranche
terminal-hidden = … { $count } pas qui ne sont pas des résultats
terminal-end-of-trace = Fin de la trace
terminal-no-lines = Les lignes ne sont pas disponibles pour ce format : Ctrl-G va à un pas ou à une adresse
terminal-no-times = Cette trace n’a pas de temps : Ctrl-G va à un pas ou à une adresse
terminal-no-text = Le texte brut n’est pas disponible pour ce format : R montre ses pas
terminal-raw = texte brut
terminal-key-why = Pourquoi cette valeur ?
terminal-key-other-value = L’autre des deux valeurs : W porte sur celle qui est marquée
terminal-key-next-view = En chaîne, en arbre ou en entier
terminal-key-follow-addresses = Suivre ce dont les adresses sont faites, ou ne plus le suivre
terminal-key-follow-flags = Suivre les indicateurs qui décident ou retiennent, ou ne plus les suivre
terminal-key-follow-control = Suivre les branchements qui ont décidé ce qui s’exécute, ou ne plus les suivre
terminal-help-why = Dans le volet « Pourquoi »
terminal-only-slice = la tranche seule
terminal-following-slice =
    { $count ->
        [one] Suivi : { $count } pas (Échap arrête)
       *[other] Suivi : { $count } pas (Échap arrête)
    }
slice-nothing-asked-terminal = Appuyez sur W sur un registre, un octet ou un pas.
terminal-only-hits = résultats seuls
terminal-stays = reste dans le fil { $thread }
terminal-nothing-picked = Rien du dernier pas n’est choisi
terminal-pick-first = Rien n’est choisi : a choisit ce que le dernier pas a fait
terminal-key-raw = Le texte brut de la trace, ou ses pas
terminal-ask-line = Aller à la ligne
terminal-ask-time = Aller au temps
terminal-ask-next-visit = Pas suivant à l’adresse
terminal-ask-last-visit = Pas précédent à l’adresse
terminal-ask-memory = Mémoire à (nombres, registres, symboles)
terminal-ask-lock-line = Fixer à la ligne
terminal-ask-lock-time = Fixer au temps
terminal-ask-compare-line = Comparer avec la ligne
terminal-ask-address = Montrer l’adresse
terminal-ask-filter = Seulement ce qui contient
terminal-ask-find-in-memory = Chercher dans la mémoire
terminal-key-into = Un pas en avant, dans les appels pliés
terminal-key-into-back = Un pas en arrière, dans les appels pliés
terminal-key-over = Par-dessus l’appel du pas suivant
terminal-key-over-back = En arrière, par-dessus l’appel dont le dernier pas revient
terminal-key-history = De nouveau en avant
terminal-key-history-back = Là où vous étiez
terminal-greeting = F1 : touches, q : quitter
terminal-how-to-end = q quitte, F1 montre les touches
terminal-key-copy = Copier ce qui est sous le curseur
terminal-key-undo = Annuler un changement de signets ou d’espions
terminal-key-redo = Le refaire
terminal-key-next-write = À sa prochaine écriture, ou l’autre lieu de sa ligne
terminal-key-filter = Seulement les lignes qui contiennent un texte
terminal-key-find-in-memory = Chercher des octets, un nombre ou un texte en mémoire
terminal-key-remove = Retirer le signet ou l’espion
terminal-how-to-mark = b marque la position, :poser un signet en mémoire de la mémoire.
terminal-how-to-watch = :espionner ajoute la cellule sous le curseur, ou une expression : { $first }, [sp+8] u32, nom utf8.
terminal-how-to-compare = :côte à côte ouvre une deuxième liste de pas ; :comparer montre ce qui diffère.
terminal-watches = { $count ->
    [one] { $count } espion
   *[other] { $count } espions
}
terminal-how-to-map-sources = :situer les sources dit où est maintenant son dossier.
terminal-nothing-to-copy = Il n’y a rien à copier sous le curseur
terminal-ending-why = W : pourquoi { $cell } avait sa valeur à { $at }
terminal-ending-greeting = { $title } · Fin : y aller · F1 : touches
terminal-died = { $words } (Ctrl-G { $step } y va)
terminal-help-legend =
    Signes
    { "*" } valeur  changée par le dernier mouvement
    = valeur  écrite par lui, mais la même
    ~ valeur  déduite : la trace ne la dit pas
    ! valeur  changée par quelque chose que la trace ne montre pas
    ? ??  rien ne la dit
    { "*" } pas  un résultat de la recherche
    # pas  un signet
    ~ pas  un pas de la tranche
    - +  un appel qui peut être plié, et un appel plié

## Pourquoi une valeur est ce qu’elle est : lignes, panneau, ce qui est gardé
slice-why-asked = la valeur choisie
slice-why-loads = { $step } charge { $cells }
slice-why-copies = { $step } copie { $cells }
slice-why-reads = { $step } lit { $cells }
slice-why-address = { $step } calcule son adresse à partir de { $cells }
slice-why-flags = { $step } dépend de { $cells }
slice-why-control = il a décidé que { $step } s’exécute
slice-why-more = { $words } et { $count } de plus
slice-it = cela
slice-from-asked = utilise la valeur choisie
slice-from-copies = copie le résultat de { $step }
slice-from-reads = lit le résultat de { $step }
slice-from-address = tient son adresse de { $step }
slice-from-flags = dépend de { $step }
slice-from-control = s’exécute à cause de { $step }
slice-from = de { $steps }
slice-from-more = de { $steps } et { $more } de plus
slice-cell-value = { $cell } = { $value }
slice-question = Pourquoi { $cell } à { $at }
slice-question-forward = Où { $cell } à { $at } va
slice-back = Arrière
slice-back-tip = D’où vient la valeur
slice-forward = Avant
slice-forward-tip = Où la valeur est allée, jusqu’à ce qu’elle soit écrasée partout
slice-chain = Chaîne
slice-chain-tip = Copies repliées, et ce qui est calculé entre elles en une expression
slice-steps =
    { $count ->
        [one] { $count } pas
       *[other] { $count } pas
    }
slice-under-way = { $steps } jusqu’ici, en cours
slice-whole = { $steps }, complète
slice-limit =
    { $count ->
        [one] les { $steps } les plus récents ; { $count } cellule reste à suivre
       *[other] les { $steps } les plus récents ; { $count } cellules restent à suivre
    }
slice-stopped = { $steps }, puis arrêté
slice-addresses = Adresses
slice-addresses-tip = Aussi d’où viennent les adresses des lectures et des écritures
slice-addresses-forward-tip = Aussi les lectures et les écritures dont l’adresse en est faite
slice-flags = Indicateurs
slice-flags-tip = Aussi d’où viennent les indicateurs qui décident une instruction conditionnelle ou un choix, ou qui retiennent
slice-flags-forward-tip = Aussi ce que décident, choisissent ou retiennent les indicateurs qui en viennent
slice-control = Contrôle
slice-control-tip = Aussi les branchements qui ont décidé ce qui s’exécute
slice-control-forward-tip = Aussi tout ce qui s’exécute parce qu’un branchement ou un appel qui prend la valeur l’a décidé
slice-tree = Arbre
slice-tree-tip = Sous un pas, ce qu’il prend ; les pas qui prennent plusieurs choses s’ouvrent et se ferment
slice-everything = Tout
slice-everything-tip = Tous les pas l’un sous l’autre, le plus récent d’abord
slice-more = plus de pas
slice-go-on = continuer
slice-stop = Arrêter
slice-clear = Effacer la tranche et ses marques
slice-only-steps = Seulement les pas de la tranche dans la liste des pas (Maj+H)
slice-kept-menu = Enregistrer la tranche, ou en choisir une enregistrée
slice-keep-as = Enregistrer la tranche sous…
slice-none-kept-yet = Aucune tranche enregistrée
slice-run = Relancer
slice-mark-this = Marquer cette tranche
slice-following = Recherche de l’origine de la valeur…
slice-awaited = La trace n’est pas encore indexée jusqu’au pas { $at }
slice-stopped-early = Arrêté avant d’avoir trouvé un pas
palette-slice = Tranche { $name }
slice-why-title = Pourquoi
slice-nothing-asked = Aucune valeur choisie
slice-nothing-asked-advice = Sélectionnez un registre, un octet ou un pas et appuyez sur W, ou faites un clic droit et choisissez « Pourquoi »
slice-close-or-ask = Fermez le panneau, ou réessayez
slice-no-step = Aucun pas ne produit cette valeur
slice-head-step = Pas
slice-head-thread = Fil
slice-head-place = Où
slice-head-code = Instruction
slice-head-gives = Résultat
slice-head-reason = Parce que
slice-row = Pas { $step } de la tranche
slice-row-end = Fin d’une chaîne : { $cell }
slice-travel = Y aller
slice-open-window = Ouvrir une fenêtre là
slice-why-item = Pourquoi { $cell }
hover-why = { $key } : pourquoi { $cell } a-t-il cette valeur ?
slice-why-input = Pourquoi son { $cell }
slice-show-memory = Afficher la mémoire à { $cell }
slice-copy-row = Copier la ligne
slice-copy-value = Copier la valeur
slice-copy-all = Copier toutes les lignes
slice-open-row = Montrer ses entrées
slice-close-row = Cacher ses entrées
slice-first-for-steps = Pressez d’abord W sur une valeur ; ceci ne montre que les pas de sa tranche
slice-first-for-keeping = Pressez d’abord W sur une valeur ; ceci enregistre sa tranche
slice-not-kept = la tranche n’est pas enregistrée : { $error }
slice-kept-as = Tranche enregistrée sous « { $name } »
slice-forgotten = Tranche « { $name } » supprimée
slice-none-kept = aucune tranche n’est enregistrée sous « { $name } » : utilisez « Enregistrer la tranche sous… »
slice-none-kept-so = aucune tranche n’est enregistrée sous « { $name } » : choisissez parmi { $names }
kept-slices-too-many = il y en a déjà { $most }, le maximum : supprimez-en une
kept-slice-too-long = sa cellule a plus de { $most } caractères
hits-only-slice = Seulement { $hits } des { $steps } pas : la tranche
hits-hidden-not-followed =
    { $count ->
        [one] … { $count } pas, pas encore suivi
       *[other] … { $count } pas, pas encore suivis
    }
timeline-slice = Tranche
timeline-slice-hint = les pas dont vient la valeur ; un clic s’y rend
timeline-differences-hint = les pas où la trace diffère de la seconde ; un clic s’y rend
timeline-of-a = La chronologie est celle de la trace A, { $a }. La ligne Différences montre où B, { $b }, diffère
tick-of-the-slice = Un pas de la tranche
tick-difference = Une différence avec la seconde trace

## Pourquoi une valeur est ce qu’elle est
slice-end-constant = calculée uniquement à partir de constantes
slice-end-stated = fixée avant le premier pas, ligne { $line }
slice-end-initial = rien dans la trace ne l’écrit avant : elle était là au début
slice-end-image = rien ne l’écrit avant : l’image du programme la contient
slice-end-external-seen = changée par quelque chose que la trace ne montre pas, comme le pas { $step } l’a trouvé
slice-end-external = changée par quelque chose que la trace ne montre pas
slice-end-called = renvoyée par l’appel système { $name }
slice-end-system = renvoyée par un appel système
slice-end-undecoded = l’instruction qui l’a écrite ne peut pas être décodée
slice-end-not-of-instruction = écrite à côté de ce que fait l’instruction : une exception, ou le processeur lui-même
slice-end-accesses-not-recorded = cette trace n’enregistre pas les accès à la mémoire
slice-end-load-not-shown = chargée d’un endroit que la trace ne montre pas
slice-end-too-much-loaded = le pas charge plus que ce qui est regardé
slice-end-decider-not-found = ce qui a décidé que cela s’exécute ne se voit pas : la trace ne montre aucun chemin qui y mène, ou la fonction est trop longue
slice-end-of-control = contrôle
slice-end-runs-always = s’exécute chaque fois que le thread s’exécute
slice-end-interrupt = une interruption ou une exception l’a commencé
slice-end-decided-not-found = ce qu’il a décidé ne se voit pas : la trace ne montre pas où ses chemins se rejoignent, ou sa fonction est trop longue
slice-end-decider-limit = ce qui a décidé que cela s’exécute n’est pas suivi
slice-end-decided-limit = ce qu’il a décidé n’est pas suivi jusqu’au bout
slice-end-limit = n’est pas suivi plus loin
slice-end-overwritten-by = rien ne la lit avant que le pas { $step } ne l’écrase
slice-end-overwritten = rien ne la lit avant qu’elle ne soit écrasée
slice-end-kept = plus rien ne la lit ni ne l’écrase
slice-end-of-more = { $cells } et { $more } de plus : { $words }
slice-call = { $name }, appelée au pas { $step }
slice-no-call = hors de tous les appels connus
slice-again = montré plus haut
slice-copies = { $count ->
    [one] par { $count } copie
   *[other] par { $count } copies
}
slice-stores-alike = { $count } fois { $value }
slice-at-address = à { $place }
slice-byte = octet { $first }
slice-bytes = octets { $first }..{ $last }
slice-rounds = { $count ->
    [one] { $count } itération identique de plus, { $rows } lignes jusqu’au pas { $step }
   *[other] { $count } itérations identiques de plus, { $rows } lignes jusqu’au pas { $step }
}
slice-for = pour { $steps }
slice-for-more = pour { $steps } et { $more } de plus
