import {counter} from '../counted'
import type {model as en} from '../en/model'

const counted = counter('de')

/** Returns texts with a number of each unit of time, in the dative case. One unit may need another text. */
function ofUnits(text: (count: string) => string, ofOne = text): typeof en.relative.last {
  const form = (one: string, other: string) => (n: number) => (Number(n) === 1 ? ofOne : text)(counted(n, {one, other}))
  return {
    minute: form('Minute', 'Minuten'),
    hour: form('Stunde', 'Stunden'),
    day: form('Tag', 'Tagen'),
    week: form('Woche', 'Wochen'),
    month: form('Monat', 'Monaten'),
    quarter: form('Quartal', 'Quartalen'),
    year: form('Jahr', 'Jahren'),
  }
}

export const model: typeof en = {
  justNow: 'gerade eben',

  columns: {
    name: 'Name',
    state: 'Status',
    description: 'Beschreibung',
    created: 'Erstellt',
    updated: 'Geändert',
    createdby: 'Erstellt von',
    updatedby: 'Geändert von',
  },
  numberDescription: 'Nummer des Vorgangs',

  types: {
    TEXT: 'Text',
    LONG_TEXT: 'Langer Text',
    INTEGER: 'Ganze Zahl',
    NUMBER: 'Zahl',
    DATE: 'Datum',
    DATETIME: 'Datum und Uhrzeit',
    BOOLEAN: 'Ja oder Nein',
    SELECT: 'Einzelne Option',
    MULTI_SELECT: 'Mehrere Optionen',
    TAGS: 'Schlagwörter',
    USER: 'Person',
  },
  peopleType: 'Personen und Teams',

  // values in cells
  yes: 'Ja',
  no: 'Nein',
  bytes: n => `${n} Byte`,

  // comparisons; those of dates and times, and of people, first
  timeOperators: {lt: 'liegt vor dem', lte: 'liegt am oder vor dem', gt: 'liegt nach dem', gte: 'liegt am oder nach dem'},
  personOperators: {anyOf: 'hat einen der Namen'},
  operators: {
    is: 'ist',
    isNot: 'ist nicht',
    exactly: 'ist genau',
    isMe: 'bin ich',
    isNotMe: 'bin nicht ich',
    isNameOnly: 'ist nur ein Name',
    isNotNameOnly: 'ist nicht nur ein Name',
    anyOf: 'ist eines von',
    noneOf: 'ist keines von',
    anyOfUsers: 'ist eine von',
    noneOfUsers: 'ist keine von',
    contains: 'enthält',
    startsWith: 'beginnt mit',
    lt: 'ist kleiner als',
    lte: 'ist höchstens',
    gt: 'ist größer als',
    gte: 'ist mindestens',
    between: 'liegt zwischen',
    hasAny: 'enthält eines von',
    hasAll: 'enthält alle von',
    hasNone: 'enthält keines von',
    hasMe: 'enthält mich',
    hasNotMe: 'enthält mich nicht',
    empty: 'ist leer',
    notEmpty: 'ist nicht leer',
  },
  relative: {
    now: 'jetzt',
    periods: {
      day: {last: 'gestern', this: 'heute', next: 'morgen'},
      week: {last: 'letzte Woche', this: 'diese Woche', next: 'nächste Woche'},
      month: {last: 'letzten Monat', this: 'diesen Monat', next: 'nächsten Monat'},
      quarter: {last: 'letztes Quartal', this: 'dieses Quartal', next: 'nächstes Quartal'},
      year: {last: 'letztes Jahr', this: 'dieses Jahr', next: 'nächstes Jahr'},
    },
    last: ofUnits(
      n => `in den letzten ${n}`,
      n => `vor höchstens ${n}`,
    ),
    next: ofUnits(
      n => `in den nächsten ${n}`,
      n => `in höchstens ${n}`,
    ),
    ago: ofUnits(n => `vor ${n}`),
    ahead: ofUnits(n => `in ${n}`),
    operators: {lt: 'liegt früher als', lte: 'liegt nicht später als', gt: 'liegt später als', gte: 'liegt nicht früher als', between: 'liegt im Zeitraum:'},
    and: ' bis ',
  },
  condition: (column, operator, values) => `${column} ${operator} ${values}`.trim(),
  and: ' und ',
  andMore: (values, n) => `${values} und ${n} weitere`,

  // why a condition filters nothing
  missingColumn: 'Diese Spalte gibt es nicht mehr',
  missingOption: 'Eine der Optionen gibt es nicht mehr',
  missingValue: 'Es fehlt ein Wert',
  periodNeeded: 'Einen Tag oder Zeitraum auswählen',
  notCompared: (column, operator) => `„${column}“ kann nicht mit „${operator}“ verglichen werden`,
  notText: value => `„${value}“ ist kein Text`,
  notWritten: value => `„${value}“ hat nicht die erwartete Form`,
  operandLength: most => `Ein Text in einem Filter darf höchstens ${most} Zeichen haben`,
  issueNumbers: most => `Die Nummern von Vorgängen gehen bis ${most}`,

  // why a text is not a value
  required: 'Ein Wert ist erforderlich',
  nameLength: 'Ein Name darf höchstens 200 Zeichen haben',
  neitherYesNorNo: text => `„${text}“ ist weder Ja noch Nein`,
  notOption: name => `„${name}“ ist keine der Optionen`,
  tagCount: 'Höchstens 100 Schlagwörter sind möglich',
  tagLength: start => `Das Schlagwort „${start}…“ hat mehr als 100 Zeichen`,
  notNumber: text => `„${text}“ ist keine Zahl`,
  notInteger: text => `„${text}“ ist keine ganze Zahl`,
  unclearNumber: (text, a, b) => `„${text}“ ist nicht eindeutig: ${a} oder ${b} eingeben`,
  integerRange: 'Die ganze Zahl passt nicht in 64 Bit',
  numberRange: 'Eine Zahl muss 0 sein oder zwischen 1e-130 und 9.9e125 liegen, positiv oder negativ',
  numberDigits: text => `„${text}“ hat mehr Stellen, als gespeichert werden können`,
  notDate: text => `„${text}“ ist kein Datum (Beispiel: 2026-01-31)`,
  notTime: text => `„${text}“ ist keine Zeitangabe (Beispiel: 2026-01-31 18:30)`,
  firstYear: 'Das erste Jahr ist 0001',
  yearDigits: 'Das Jahr mit vier Ziffern angeben',
  notMonth: month => `${month} ist kein Monat`,
  daysOfMonth: (month, year, days) => `${month} ${year} hat ${days} Tage`,
  unclearDate: (text, a, b) => `„${text}“ ist nicht eindeutig: ${a} oder ${b} eingeben`,
  dateForm: (problem, example) => `${problem}: Datum wie ${example} oder 2026-12-24 eingeben`,
  timeRange: 'Ein Zeitpunkt muss in den Jahren 0001 bis 9999 (UTC) liegen',
}
