import type {CodegenConfig} from '@graphql-codegen/cli'

/** The operations of parts of the page that load later; their module loads with them. */
const later = ['src/grid/{admin,csv,mine,palette}/*.graphql', 'src/grid/panel/comments.graphql']

const client = {
  preset: 'client' as const,
  presetConfig: {fragmentMasking: false},
  config: {
    strictScalars: true,
    scalars: {
      ID: 'string',
      Date: 'string',
      DateTime: 'string',
      Int64: {input: 'string', output: 'string'},
      LanguageTag: 'string',
      TimeZone: 'string',
      Color: 'string',
      SavedFilter: 'Record<string, unknown>',
    },
    enumsAsTypes: true,
    useTypeImports: true,
    nonOptionalTypename: true, // Apollo asks for __typename everywhere
    skipTypeNameForRoot: true,
  },
}

const config: CodegenConfig = {
  schema: '../schema.graphqls',
  generates: {
    'src/gql/': {...client, documents: ['src/**/*.graphql', ...later.map(files => `!${files}`)]},
    'src/gql/later/': {...client, documents: ['src/grid/{data,people}/fragments.graphql', ...later]},
    // Which types an interface stands for: what Apollo's cache has to know.
    'src/gql/possibleTypes.ts': {plugins: ['fragment-matcher'], config: {useExplicitTyping: true}},
  },
}

export default config
