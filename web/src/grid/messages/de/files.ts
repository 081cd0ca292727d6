// The import and the export of files.
import {counter} from '../counted'
import type {files as en} from '../en/files'

/** What an import has written. */
interface Counts {
  added: number
  changed: number
  rejected: number
}

const counted = counter('de')
const issues = (n: number) => counted(n, {one: 'Vorgang', other: 'Vorgänge'})
const rows = (n: number) => counted(n, {one: 'Zeile', other: 'Zeilen'})
const written = ({added, changed, rejected}: Counts) => `${issues(added)} hinzugefügt, ${changed.toLocaleString()} geändert, ${rows(rejected)} abgelehnt`
const shown = (columns: number) =>
  `${counted(columns, {one: 'angezeigter Spalte', other: 'angezeigten Spalten'})}. Lange Texte sind vollständig enthalten, Zeiten in UTC.`

export const files: typeof en = {
  cancel: 'Abbrechen',
  close: 'Schließen',
  rows,

  // the menu, and files that are dropped on the page
  menu: {
    drop: project => `Datei ablegen, um sie in „${project}“ zu importieren`,
    export: 'CSV exportieren …',
    import: 'Importieren …',
    label: 'Import und Export',
    tooMany: 'Nur eine Datei auf einmal ablegen.',
  },

  // the dialog that exports
  export: {
    begin: 'Exportieren',
    cancel: 'Export abbrechen',
    chosen: (n, columns) => `${counted(n, {one: 'ausgewählter Vorgang', other: 'ausgewählte Vorgänge'})}, mit ${shown(columns)}`,
    /** A part of the name of the file. */
    chosenFile: 'auswahl',
    done: (name, n) => `${name} enthält ${rows(n)} und liegt in den Downloads.`,
    guard: 'Tabellenkalkulationen daran hindern, Texte als Formeln auszuführen',
    guardHint:
      'Texte erhalten Apostrophe, wo eine Formel beginnen könnte: vor {signs} oder einem Tabulator, am Anfang sowie nach Kommas, Semikolons, senkrechten Strichen und Zeilenenden. Zahlen bleiben unverändert, und ein Import hier entfernt die Apostrophe wieder. Für Programme, die unveränderte Texte brauchen, ausschalten.',
    mark: 'Mit einer Byte-Reihenfolge-Markierung (BOM) beginnen',
    markHint: 'Alte Versionen von Excel zeigen é und ü nur damit richtig an.',
    numberFirst: 'Jede Zeile beginnt mit der Nummer des Vorgangs, damit keine mit einem dieser Zeichen beginnt.',
    running: 'Export läuft',
    settings: 'Dateiformat',
    title: 'CSV exportieren',
    /** `total` is null if it is not known. */
    view: (total, exact, filtered, columns) => {
      const all = total === null ? 'Alle Vorgänge dieser Ansicht' : exact ? issues(total) : `Mindestens ${issues(total)}`
      const matching = total === 1 ? ', der dem Filter entspricht' : ', die dem Filter entsprechen'
      return `${all}${filtered ? matching : ''}, in der Reihenfolge der Tabelle, mit ${shown(columns)}`
    },
  },

  // why the work has paused
  pause: {
    continues: seconds => `Wird in ${seconds} s automatisch fortgesetzt.`,
    correct: 'Es geht nichts verloren; fortsetzen, sobald das Problem behoben ist.',
    nothingLost: 'Es geht nichts verloren.',
    paused: 'Angehalten.',
    resume: 'Fortsetzen',
  },

  // the dialog that imports
  import: {
    checkAgain: 'Erneut prüfen',
    choose: 'Datei auswählen …',
    chooseHint:
      'oder hier ablegen: CSV mit den Spaltennamen in der ersten Zeile oder JSON Lines, in UTF-8, auch mit gzip komprimiert. Bevor etwas geschrieben wird, zeigt eine Vorschau, was der Import bewirkt.',
    chooseTitle: 'Datei importieren',
    begin: 'Importieren',
    title: name => `${name} importieren`,
    /** Instead of the name of a file that is not known yet. */
    unnamed: 'Datei',
    // its progress
    asksAgain: 'Wird erneut versucht. Es geht nichts verloren: Der Import läuft auch ohne diese Seite weiter.',
    background: 'Im Hintergrund fortsetzen',
    cancel: 'Import abbrechen',
    canceling: 'Wird abgebrochen …',
    checking: 'Datei wird geprüft',
    progress: (done, total) => `${done.toLocaleString()} von ${rows(total)}`,
    /** By the server's names of the stages. */
    stages: {
      'reading types': 'Spaltentypen werden ermittelt',
      'checking rows': 'Zeilen werden geprüft',
      'comparing rows': 'Zeilen werden mit den Vorgängen verglichen',
      importing: 'Import läuft',
    },
    uploading: 'Datei wird hochgeladen',
    waiting: 'Wartet auf andere Importe',
    waitingHint: tenant =>
      `Ein anderer Import ${tenant === undefined ? 'des Mandanten' : `von „${tenant}“`} läuft noch. Dieser beginnt, sobald jener beendet ist.`,
    // what it will do
    edited: 'Datei erneut prüfen, um zu sehen, was der Import bewirkt.',
    noRows: name => `${name} enthält Spaltennamen, aber keine Zeilen.`,
    nothing: counts => `Nichts zu importieren: ${counts}.`,
    notYet: 'Es kann noch nichts importiert werden.',
    onlyNew: 'Nur neue Vorgänge hinzufügen',
    onlyNewHint: 'Andernfalls ändern früher importierte Zeilen ihre Vorgänge, und ihre Werte ersetzen auch solche, die seitdem von Hand geändert wurden.',
    reading: 'So wird die Datei gelesen',
    encoding: 'Zeichencodierung',
    delimiter: 'Trennzeichen zwischen Spalten',
    delimiterName: delimiter => ({',': 'Komma', ';': 'Semikolon', '\t': 'Tabulator', '|': 'Senkrechter Strich'})[delimiter] ?? delimiter,
    header: 'Namen der Spalten',
    headerLine: line => (line > 0 ? `In Zeile ${line.toLocaleString()}` : 'Keine'),
    removeApostrophes: 'Apostroph aus Texten wie {example} entfernen',
    removeApostrophesHint:
      'Exporte setzen Apostrophe, wo eine Tabellenkalkulation einen Teil eines Textes als Formel ausführen würde. Eine Änderung setzt die Spalten auf die vom Server ermittelte Zuordnung zurück.',
    result: counts => `Voraussichtliches Ergebnis: ${counts}.`,
    settings: 'Einstellungen',
    starting: 'Wird gestartet …',
    // its result, before and after the import
    alsoCreated: 'Der Import hat außerdem erstellt:',
    alsoCreates: 'Der Import erstellt außerdem:',
    notes: 'Was die Zuordnung annimmt:',
    skipped: n => `Übersprungen: ${rows(n)} vor den Namen der Spalten.`,
    blank: n => `Übersprungen: ${rows(n)} ohne Inhalt.`,
    cleaned: n => `Unsichtbare Zeichen werden aus den Namen von ${rows(n)} entfernt.`,
    counts: ({added, changed, unchanged, rejected}) =>
      `${issues(added)} hinzugefügt, ${changed.toLocaleString()} geändert, ${unchanged.toLocaleString()} unverändert, ${rows(rejected)} abgelehnt`,
    example: (line, detail) => `(Zeile ${line.toLocaleString()}: ${detail})`,
    /** `others` reports whether no row is imported into the project of the page. */
    into: (done, others, projects) => `Die Zeilen ${done ? 'wurden' : 'werden'} in ${others ? 'andere' : 'mehrere'} Projekte importiert: ${projects}.`,
    moreOutcomes: n => `und ${counted(n, {one: 'weiteres', other: 'weitere'})}`,
    projectRows: (project, n) => `${project} (${rows(n)})`,
    rejected: (n, reason) => `${rows(n)} abgelehnt: ${reason}`,
    rejectedIn: (n, column, reason) => `${rows(n)} abgelehnt, ${column}: ${reason}`,
    // when it has ended
    canceled: 'Der Import wurde abgebrochen. Bereits geschriebene Zeilen bleiben erhalten.',
    column: 'Spalte',
    download: 'Abgelehnte Zeilen herunterladen',
    failed: 'Der Import ist fehlgeschlagen. Um ihn fortzusetzen, importieren Sie die Datei erneut.',
    line: 'Zeile',
    moreRejected: n => `${counted(n, {one: 'weitere Zeile steht', other: 'weitere Zeilen stehen'})} in der Datei der abgelehnten Zeilen.`,
    reason: 'Grund',
    rejectedRows: 'Abgelehnte Zeilen',
  },

  // an import that has ended in the background
  ended: {
    canceled: (name, counts) => `Der Import von ${name} wurde abgebrochen: ${written(counts)}.`,
    done: (name, counts) => `Der Import von ${name} ist abgeschlossen: ${written(counts)}.`,
    failed: (name, counts) => `Der Import von ${name} ist fehlgeschlagen: ${written(counts)}.`,
    notBegun: name => `Der Import von ${name} konnte nicht beginnen.`,
    show: 'Anzeigen',
  },

  // what becomes of the columns of a file
  mapping: {
    addMissing: {options: 'Fehlende Optionen hinzufügen', states: 'Fehlende Status hinzufügen'},
    allFit: 'alle passen',
    allFitEmpty: n => `alle passen, ${counted(n, {one: 'Zelle', other: 'Zellen'})} leer`,
    builtins: {
      name: 'Name',
      state: 'Status',
      description: 'Beschreibung',
      num: 'Nummer',
      rowKey: 'Zeilenschlüssel',
      createdAt: 'Erstellt',
      updatedAt: 'Geändert',
      projectKey: 'Projektkürzel',
      projectName: 'Projektname',
    },
    cells: 'Zellen',
    column: 'Spalte in der Datei',
    decimal: 'Dezimaltrennzeichen',
    decimalIn: column => `Dezimaltrennzeichen in „${column}“`,
    decimals: {none: 'Wie in Programmen: 1234.5', point: 'Punkt: 1,234.5', comma: 'Komma: 1.234,5'},
    fault: (line, detail) => `Zeile ${line.toLocaleString()}: ${detail}`,
    format: 'Format',
    formatExample: 'ISO oder zum Beispiel DD.MM.YYYY',
    formatOf: column => `Format von „${column}“`,
    groups: {builtin: 'Integrierte Spalten', fields: 'Felder'},
    ignoreCase: 'Groß- und Kleinschreibung ignorieren',
    importAs: 'Importieren als',
    importColumnAs: column => `„${column}“ importieren als`,
    newField: 'Neues Feld …',
    newFieldName: column => `Name des neuen Felds für „${column}“`,
    newFieldType: column => `Typ des neuen Felds für „${column}“`,
    onlyEmpty: 'nur leere Zellen',
    separator: 'Trennzeichen',
    separatorIn: column => `Trennzeichen in „${column}“`,
    skip: 'Nicht importieren',
    /** A choice of a column that another one has now. */
    taken: (choice, column) => `${choice} – derzeit für „${column}“ verwendet`,
    unclear: (cell, ways) => (ways > 1 ? `„${cell}“ lässt sich auf zwei Arten lesen. Gemeint ist:` : `„${cell}“ bedeutet vielleicht:`),
    zone: 'Standardzeitzone',
    zoneExample: zone => `UTC oder zum Beispiel ${zone}`,
    zoneOf: column => `Zeitzone von „${column}“`,
  },

  // why cells and requests are refused
  errors: {
    checkCanceled: 'Die Prüfung der Datei wurde abgebrochen.',
    emptyFile: 'Die Datei ist leer.',
    longName: most => `Ein Name darf höchstens ${most.toLocaleString()} Zeichen haben`,
    longText: 'Ein Text darf höchstens 2 MiB groß sein',
    lost: reason => `Es ist nicht bekannt, ob der Import beendet ist, weil der Server die Auskunft verweigert: ${reason}`,
    nameRequired: 'Ein Name ist erforderlich',
    noProgress: 'Der Server kann diese Ansicht nicht weiter lesen; bitte erneut versuchen.',
    noProject: 'Das Projekt gibt es nicht mehr.',
    required: 'Ein Wert ist erforderlich',
    status: status => `Der Server hat mit Status ${status} geantwortet und keinen Grund genannt.`,
    /** By the status of a response that is not in the server's format, such as that of a proxy. */
    statuses: {
      403: 'Dieser Server importiert keine Dateien.',
      404: 'Dieser Server importiert keine Dateien.',
      413: 'Die Datei ist größer, als ein Proxy zwischen dieser Seite und dem Server zulässt.',
    },
  },
}
