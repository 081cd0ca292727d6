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
        scalars: {Date: 'string', DateTime: 'string', Int64: {input: 'string', output: 'string'}},
        enumsAsTypes: true,
        useTypeImports: true,
        avoidOptionals: false,
      },
    },
  },
}

export default config
