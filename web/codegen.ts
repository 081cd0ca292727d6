import type {CodegenConfig} from '@graphql-codegen/cli'

const config: CodegenConfig = {
  schema: '../schema.graphqls',
  documents: 'src/**/*.graphql',
  generates: {
    'src/gql/': {
      preset: 'client',
      presetConfig: {fragmentMasking: false},
      config: {
        strictScalars: true,
        scalars: {ID: 'string', Date: 'string', DateTime: 'string', Int64: {input: 'string', output: 'string'}},
        enumsAsTypes: true,
        useTypeImports: true,
        nonOptionalTypename: true, // Apollo asks for __typename everywhere
        skipTypeNameForRoot: true,
      },
    },
    // Which types an interface stands for: what Apollo's cache has to know.
    'src/gql/possibleTypes.ts': {plugins: ['fragment-matcher'], config: {useExplicitTyping: true}},
  },
}

export default config
