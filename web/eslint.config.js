import reactHooks from 'eslint-plugin-react-hooks'
import {defineConfig, globalIgnores} from 'eslint/config'
import tseslint from 'typescript-eslint'

export default defineConfig(globalIgnores(['dist/', 'src/gql/', 'eslint.config.js']), tseslint.configs.recommendedTypeChecked, {
  plugins: {'react-hooks': reactHooks},
  languageOptions: {parserOptions: {projectService: true, tsconfigRootDir: import.meta.dirname}},
  rules: {
    'react-hooks/rules-of-hooks': 'error',
    'react-hooks/exhaustive-deps': 'error',
    '@typescript-eslint/switch-exhaustiveness-check': ['error', {considerDefaultExhaustiveForUnions: true}],
    '@typescript-eslint/unbound-method': 'off', // of stores whose methods are bound where they are made
    '@typescript-eslint/no-unused-vars': ['error', {argsIgnorePattern: '^_'}],
  },
})
