import {initGraphQLTada} from 'gql.tada'
import type {introspection} from '../generated/graphql-env.d.ts'

export const graphql = initGraphQLTada<{
  introspection: introspection
  disableMasking: true
  scalars: {ID: string; Date: string; DateTime: string; Int64: string; LanguageTag: string; TimeZone: string; Color: string; SavedFilter: Record<string, unknown>}
}>()
