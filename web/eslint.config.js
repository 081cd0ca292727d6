import reactHooks from 'eslint-plugin-react-hooks'
import {defineConfig, globalIgnores} from 'eslint/config'
import tseslint from 'typescript-eslint'
import imports from './imports.js'

// Which folders of src a folder's modules may import from; a folder names only folders above it. What no folder names, none may import.
const folders = {
  '../../importer': [], // cases that its tests read as well
  gql: [], // generated from the schema
  'grid/model': ['gql'], // values, columns, conditions and the view: without React and the network
  'grid/data': ['gql', 'grid/model'], // the server, what it said, and what it is to be told
  'grid/ui': ['grid/model', 'grid/data'], // what any part may render
  'grid/context': ['grid/model', 'grid/data', 'grid/ui'], // what the parts of a project's page share
  'grid/csv': ['../../importer', 'gql', 'grid/model', 'grid/data', 'grid/ui', 'grid/context'],
  'grid/table': ['gql', 'grid/model', 'grid/data', 'grid/ui', 'grid/context', 'grid/csv'],
  'grid/panel': ['gql', 'grid/model', 'grid/data', 'grid/ui', 'grid/context'],
  'grid/phone': ['gql', 'grid/model', 'grid/ui', 'grid/context', 'grid/table'],
  'grid/filter': ['gql', 'grid/model', 'grid/ui', 'grid/context'],
  'grid/views': ['grid/model', 'grid/ui', 'grid/context'],
  'grid/bulk': ['grid/model', 'grid/data', 'grid/ui', 'grid/context', 'grid/csv', 'grid/panel'],
  'grid/admin': ['gql', 'grid/model', 'grid/data', 'grid/ui', 'grid/context'],
  'grid/palette': ['gql', 'grid/model', 'grid/data', 'grid/ui', 'grid/context', 'grid/views'],
  'grid/projects': ['gql', 'grid/model', 'grid/data', 'grid/ui', 'grid/admin'],
  grid: [
    'gql',
    ...['model', 'data', 'ui', 'context', 'csv', 'table', 'panel', 'phone', 'filter', 'views', 'bulk', 'admin', 'projects', 'palette'].map(f => `grid/${f}`),
  ],
  'grid/test': ['gql', 'grid/model', 'grid/data', 'grid/csv'], // for tests alone
  explorer: [],
}

export default defineConfig(
  globalIgnores(['dist/', 'src/gql/', 'eslint.config.js']),
  tseslint.configs.recommendedTypeChecked,
  {
    plugins: {'react-hooks': reactHooks},
    languageOptions: {parserOptions: {projectService: true, tsconfigRootDir: import.meta.dirname}},
    rules: {
      'react-hooks/rules-of-hooks': 'error',
      'react-hooks/exhaustive-deps': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', {considerDefaultExhaustiveForUnions: true}],
      '@typescript-eslint/unbound-method': 'off', // of stores whose methods are bound where they are made
      '@typescript-eslint/no-unused-vars': ['error', {argsIgnorePattern: '^_'}],
    },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    plugins: {imports},
    rules: {'imports/no-cycle': 'error', 'imports/direction': ['error', {root: 'src', folders}]},
  },
  {
    files: ['src/grid/model/*.ts'],
    ignores: ['**/*.test.ts'],
    rules: {'no-restricted-imports': ['error', {patterns: [{regex: '^[^.]', message: 'The model needs no packages.'}]}]},
  },
)
