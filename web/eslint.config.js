import reactHooks from 'eslint-plugin-react-hooks'
import {defineConfig, globalIgnores} from 'eslint/config'
import tseslint from 'typescript-eslint'
import imports from './imports.js'

// Which folders of src a folder's modules may import from; a folder names only folders above it. What no folder names, none may import.
const folders = {
  '../../internal/importer': [], // what it reads as well: words, and the cases of tests
  gql: [], // generated from the schema
  'grid/messages': [], // the texts of the page
  'grid/model': ['../../internal/importer', 'gql', 'grid/messages'], // values, columns, conditions and the view: without React and the network
  'grid/data': ['gql', 'grid/messages', 'grid/model'], // the server, what it said, and what it is to be told
  'grid/ui': ['grid/messages', 'grid/model', 'grid/data'], // what any part may render
  'grid/context': ['grid/messages', 'grid/model', 'grid/data', 'grid/ui'], // what the parts of a project's page share
  'grid/csv': ['../../internal/importer', 'gql', 'grid/messages', 'grid/model', 'grid/data', 'grid/ui', 'grid/context'],
  'grid/table': ['gql', 'grid/messages', 'grid/model', 'grid/data', 'grid/ui', 'grid/context', 'grid/csv'],
  'grid/people': ['gql', 'grid/messages', 'grid/model', 'grid/data', 'grid/ui'],
  'grid/panel': ['gql', 'grid/messages', 'grid/model', 'grid/data', 'grid/ui', 'grid/context', 'grid/people'],
  'grid/mine': ['gql', 'grid/messages', 'grid/model', 'grid/data', 'grid/ui', 'grid/people'],
  'grid/phone': ['gql', 'grid/messages', 'grid/model', 'grid/ui', 'grid/context', 'grid/table'],
  'grid/board': ['gql', 'grid/messages', 'grid/model', 'grid/data', 'grid/ui', 'grid/context', 'grid/table', 'grid/phone'],
  'grid/filter': ['gql', 'grid/messages', 'grid/model', 'grid/ui', 'grid/context', 'grid/people'],
  'grid/views': ['grid/messages', 'grid/model', 'grid/data', 'grid/ui', 'grid/context'],
  'grid/bulk': ['grid/messages', 'grid/model', 'grid/data', 'grid/ui', 'grid/context', 'grid/csv', 'grid/panel'],
  'grid/admin': ['gql', 'grid/messages', 'grid/model', 'grid/data', 'grid/ui', 'grid/context', 'grid/people'],
  'grid/palette': ['gql', 'grid/messages', 'grid/model', 'grid/data', 'grid/ui', 'grid/context', 'grid/views'],
  'grid/projects': ['gql', 'grid/messages', 'grid/model', 'grid/data', 'grid/ui', 'grid/admin'],
  grid: [
    'gql',
    ...[
      'messages',
      'model',
      'data',
      'ui',
      'context',
      'csv',
      'table',
      'people',
      'panel',
      'phone',
      'board',
      'filter',
      'views',
      'bulk',
      'admin',
      'projects',
      'palette',
      'mine',
    ].map(f => `grid/${f}`),
  ],
  'grid/test': ['gql', 'grid/model', 'grid/data', 'grid/csv'], // for tests alone
  explorer: [],
}

// What looks like a text of the page outside the catalogue: words in an element or in an attribute that is shown or read out, and strings of several words.
const words = '/\\p{L}{2,}/u'
const several = '/\\p{L}{2,}[,.:;…]? \\p{L}{2,}/u'
const shown = 'JSXAttribute[name.name=/^(aria-label|title|placeholder|label|alt)$/]'
const texts = [
  `JSXText[value=${words}]`,
  `${shown} Literal[value=${words}]`,
  `${shown} TemplateElement[value.raw=${words}]`,
  `JSXElement > JSXExpressionContainer Literal[value=/^\\p{Lu}\\p{Ll}{2,}$/u]`,
  `Literal[value=${several}]:not(JSXAttribute[name.name=className] Literal)`,
  `TemplateElement[value.raw=${several}]:not(JSXAttribute[name.name=className] TemplateElement)`,
]

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
    files: ['src/grid/**/*.{ts,tsx}'],
    ignores: ['**/*.test.ts', '**/*.test.tsx', 'src/grid/messages/**', 'src/grid/test/**'],
    rules: {'no-restricted-syntax': ['error', ...texts.map(selector => ({selector, message: 'Texts of the page are in src/grid/messages.'}))]},
  },
  {
    files: ['src/grid/model/*.ts'],
    ignores: ['**/*.test.ts'],
    rules: {'no-restricted-imports': ['error', {patterns: [{regex: '^[^.]', message: 'The model needs no packages.'}]}]},
  },
)
