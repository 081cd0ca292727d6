// What the types of fields are called.
import {messages} from '../messages'
import type {CustomFieldType} from '../../gql/graphql'
import {hasPeople, type Column} from './columns'

/** Returns the names of the types, in the order in which they are offered. */
export const typeNames = (): Record<CustomFieldType, string> => messages.model.types

/** Returns the name of the type of a column. */
export const typeName = (c: Column): string => (hasPeople(c) ? messages.model.peopleType : typeNames()[c.type])

/** Reports whether the values of a type are options of the field. */
export const hasOptions = (type: CustomFieldType): boolean => type === 'SELECT' || type === 'MULTI_SELECT'
