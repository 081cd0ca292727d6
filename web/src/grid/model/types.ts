// What the types of fields are called.
import type {CustomFieldType} from '../../gql/graphql'

export const typeNames: Record<CustomFieldType, string> = {
  TEXT: 'Text',
  LONG_TEXT: 'Long text',
  INTEGER: 'Integer',
  NUMBER: 'Number',
  DATE: 'Date',
  DATETIME: 'Date and time',
  BOOLEAN: 'Yes or no',
  SELECT: 'One option',
  MULTI_SELECT: 'Several options',
  TAGS: 'Tags',
  USER: 'Person',
}

/** Reports whether the values of a type are options of the field. */
export const hasOptions = (type: CustomFieldType): boolean => type === 'SELECT' || type === 'MULTI_SELECT'
