import {counter} from '../counted'
import type {admin as en} from '../en/admin'

const counted = counter('de')
const ofField = (field: string | null) => (field === null ? 'eines Felds' : `des Felds „${field}“`)

export const admin: typeof en = {
  // what several dialogs have
  cancel: 'Abbrechen',
  delete: 'Löschen …',
  key: 'Kürzel',
  name: 'Name',
  options: 'Optionen',
  save: 'Speichern',

  confirm: 'Zur Bestätigung {name} eingeben',

  // the choice of a color
  noColor: 'Keine Farbe',
  anotherColor: 'Andere Farbe',
  colors: {
    gray: 'Grau',
    blue: 'Blau',
    green: 'Grün',
    yellow: 'Gelb',
    orange: 'Orange',
    red: 'Rot',
    pink: 'Rosa',
    purple: 'Violett',
    teal: 'Türkis',
    brown: 'Braun',
  },

  // the list of options or states, and the form that asks what replaces a removed one
  option: {
    list: 'Optionen',
    nameOf: position => `Name der Option ${position}`,
    new: 'Neue Option',
    atMost: n => `Ein Feld kann höchstens ${n} Optionen haben.`,
    removing: 'Vorgänge mit dieser Option erhalten den unten gewählten Ersatz. Das kann nicht rückgängig gemacht werden.',
  },
  state: {
    list: 'Status',
    nameOf: position => `Name des Status ${position}`,
    new: 'Neuer Status',
    atMost: n => `Ein Projekt kann höchstens ${n} Status haben.`,
    removing: 'Vorgänge mit diesem Status erhalten den unten gewählten Ersatz. Das kann nicht rückgängig gemacht werden.',
  },
  add: 'Hinzufügen',
  colorOf: name => `Farbe von ${name}`,
  kindOf: name => `Art von ${name}`,
  open: 'Offen',
  closed: 'Geschlossen',
  moveUp: name => `Nach oben verschieben: ${name}`,
  moveDown: name => `Nach unten verschieben: ${name}`,
  remove: name => `Entfernen: ${name}`,
  askRemove: name => `„${name}“ entfernen?`,
  replaceWith: 'Ersetzen durch',
  choose: 'Auswählen …',
  noValue: 'Kein Wert',

  // the dialogs of a field
  newField: 'Neues Feld',
  createField: 'Feld erstellen',
  field: name => `Feld: ${name}`,
  type: 'Typ',
  typeIs: type => `Typ: ${type}`,
  description: 'Beschreibung',
  mustHaveValue: 'In neuen Vorgängen erforderlich',
  optionsSaved: 'Änderungen an den Optionen werden sofort gespeichert.',
  archive: 'Archivieren',
  unarchive: 'Aus dem Archiv wiederherstellen',
  deleteField: 'Feld löschen',
  deletingField:
    'Das Feld und seine Werte werden aus allen Vorgängen gelöscht. Das kann nicht rückgängig gemacht werden. Um die Werte zu behalten, das Feld stattdessen archivieren.',
  inPanel: field => `„${field}“ erscheint in der Seitenleiste der Vorgänge. Über „Spalten“ kann das Feld in der Tabelle eingeblendet werden.`,
  isArchived: field => `„${field}“ wurde archiviert. Die Werte bleiben erhalten; in den Projekteinstellungen kann das Feld wiederhergestellt werden.`,
  isColumn: field => `„${field}“ ist wieder eine Spalte.`,
  isDeleted: field => `„${field}“ wurde gelöscht.`,

  // the form that changes the type of a field
  askType: 'Typ ändern …',
  changeType: 'Typ ändern',
  newTypeOf: field => `Neuer Typ von ${field}`,
  createOptions: 'Für Werte ohne passende Option neue Optionen erstellen',
  unconvertible: 'Wenn ein Wert nicht umgewandelt werden kann',
  refuseValues: 'Nichts ändern und diese Werte auflisten',
  removeValues: 'Den Wert aus dem Vorgang entfernen; im Verlauf des Vorgangs bleibt er erhalten',

  // the form that links the names in a field to users
  names: {
    ask: 'Namen mit Personen verknüpfen …',
    hint: 'Diese Werte sind nur Namen. Zu jedem Namen kann die gemeinte Person ausgewählt werden; Namen ohne Person bleiben, wie sie sind.',
    none: 'Kein Wert dieses Felds ist nur ein Name.',
    first: n => `Das sind die ersten ${n} Namen. Die übrigen folgen, nachdem diese verknüpft wurden.`,
    incomplete: 'Die Suche endete vorzeitig; es kann weitere Namen geben.',
    name: 'Name',
    issues: 'Vorgänge',
    user: 'Person',
    userOf: name => `Person für „${name}“`,
    pick: 'Person auswählen …',
    pickFor: name => `Person auswählen: ${name}`,
    remove: name => `„${name}“ ohne Person lassen`,
    link: n => `${counted(n, {one: 'Namen', other: 'Namen'})} verknüpfen`,
    started: n => (n === 1 ? '1 Name wird mit einer Person verknüpft.' : `${n.toLocaleString()} Namen werden mit Personen verknüpft.`),
  },

  // a new project
  newProject: 'Neues Projekt',
  createProject: 'Projekt erstellen',
  newKeyHint: key => `Es steht vor den Nummern der Vorgänge, zum Beispiel ${key || 'ABC'}-1.`,
  statesOfIssues: 'Status der Vorgänge',
  usualStates: {open: 'Offen', doing: 'In Arbeit', closed: 'Erledigt'},

  // the settings of a project
  settingsOf: project => `Projekteinstellungen: ${project}`,
  tabs: {general: 'Projekt', states: 'Status', fields: 'Felder'},
  keyHint: key => `Es steht vor den Nummern der Vorgänge, zum Beispiel ${key}-1. Nach einer Änderung funktionieren Links mit dem bisherigen Kürzel nicht mehr.`,
  saved: 'Gespeichert.',
  askDeleteProject: 'Projekt löschen …',
  deletion: 'Projekt löschen',
  deleteThis: project => `„${project}“ löschen?`,
  deletingProject: 'Das Projekt wird in den Papierkorb verschoben und kann in der Projektliste wiederhergestellt werden.',
  deleteProject: 'Projekt löschen',
  statesHint: 'Neue Vorgänge erhalten den ersten offenen Status. Änderungen werden sofort gespeichert.',
  fields: 'Felder',
  fieldCount: n => `${n} von 400 Feldern`,
  required: 'erforderlich',
  archived: 'archiviert',

  // a tenant
  newTenant: 'Neuer Mandant',
  createTenant: 'Mandant erstellen',
  tenant: name => `Mandant: ${name}`,
  deleteTenant: 'Mandant löschen',
  deletingTenant: 'Der Mandant wird mit allen Projekten und Vorgängen gelöscht. Das kann nicht rückgängig gemacht werden.',

  // the projects in the trash
  deletedProjects: 'Gelöschte Projekte',
  nothingDeleted: 'Keine gelöschten Projekte.',
  until: date => `bis ${date}`,
  restore: project => `Wiederherstellen: ${project}`,
  more: 'Mehr anzeigen',

  // the users and the teams of a tenant
  people: {
    title: 'Personen und Teams',
    users: 'Personen',
    teams: 'Teams',
    search: 'Namen durchsuchen',
    inactive: 'Deaktivierte',
    newUser: 'Neue Person',
    newTeam: 'Neues Team',
    email: 'E-Mail-Adresse',
    claim: 'Kennung in Tokens',
    claimHint: 'Woran die Person in Tokens erkannt wird. Ohne sie wird das erste Token mit der bestätigten E-Mail-Adresse zu dieser Person.',
    deactivate: 'Deaktivieren',
    activate: 'Aktivieren',
    deactivateHint: 'Eine deaktivierte Person kann nichts mehr tun und bleibt in den Vorgängen und Teams.',
    members: n => counted(n, {one: 'Mitglied', other: 'Mitglieder'}),
    membersOf: 'Mitglieder',
    membersSaved: 'Änderungen der Mitglieder werden sofort gespeichert.',
    addMember: 'Mitglied hinzufügen',
    removeMember: name => `${name} aus dem Team entfernen`,
  },

  // all of them feminine, because jobFailed has „die“ before them
  jobs: {
    CHANGE_FIELD_TYPE: field => `Typänderung ${ofField(field)}`,
    LINK_USER_NAMES: field => `Verknüpfung von Namen ${ofField(field)} mit Personen`,
    MERGE_OPTIONS: field => `Zusammenführung von Optionen ${ofField(field)}`,
    MOVE_OPTIONS: field => `Sortierung nach der neuen Reihenfolge der Optionen ${ofField(field)}`,
    MERGE_STATES: () => 'Zusammenführung von Status',
    MOVE_STATES: () => 'Sortierung nach der neuen Reihenfolge der Status',
    DELETE_FIELD: field => `Entfernung der Werte ${ofField(field)}`,
    DELETE_PROJECT: () => 'Löschung des Projekts',
    INDEX_EMPTY_VALUES: field => `Indexierung der Vorgänge ohne Wert ${ofField(field)}`,
  },
  checking: job => `${job}: Prüfung`,
  stop: 'Stoppen',
  stopJob: job => `Stoppen: ${job}`,
  jobFailed: (job, reasons) => `Es wurde nichts geändert. Die ${job} ist fehlgeschlagen: ${reasons}.`,
  moreReasons: n => `und ${counted(n, {one: 'weiterer', other: 'weitere'})}`,
}
