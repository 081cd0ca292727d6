import type {CodegenConfig} from '@graphql-codegen/cli'

// As docs/frontend.md says. Int64 comes back as digits; numbers are taken too, but those beyond 2^53 have lost digits before they are sent.
const scalars = {ID: 'string', Date: 'string', DateTime: 'string', Int64: 'string', LanguageTag: 'string', TimeZone: 'string', Color: 'string', SavedFilter: 'Record<string, unknown>'}

const config: CodegenConfig = {
  schema: '../../../schema.graphqls',
  documents: 'operations/*.graphql',
  generates: {
    // Not in one file: since version 6 each of these plugins writes the types of inputs.
    'generated/schema.ts': {plugins: ['typescript'], config: {strictScalars: true, scalars, useTypeImports: true}},
    'generated/operations.ts': {plugins: ['typescript-operations'], config: {strictScalars: true, scalars, useTypeImports: true}},
    'generated/gql/': {
      preset: 'client',
      presetConfig: {fragmentMasking: false},
      config: {strictScalars: true, scalars, enumsAsTypes: true, useTypeImports: true},
    },
    'generated/possibleTypes.ts': {plugins: ['fragment-matcher']},
    'generated/introspection.json': {plugins: ['introspection'], config: {minify: true}},
  },
}

export default config
