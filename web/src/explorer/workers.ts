// The workers of the editor, served by this server. graphiql/setup-workers/vite does the same, but logs a line to the console for each worker.

import type {Environment} from 'monaco-editor'
import JsonWorker from 'monaco-editor/esm/vs/language/json/json.worker.js?worker'
import EditorWorker from 'monaco-editor/esm/vs/editor/editor.worker.js?worker'
import GraphQLWorker from 'monaco-graphql/esm/graphql.worker.js?worker'

declare global {
  interface Window {
    MonacoEnvironment?: Environment
  }
}

window.MonacoEnvironment = {
  getWorker(_id, label) {
    switch (label) {
      case 'json':
        return new JsonWorker()
      case 'graphql':
        return new GraphQLWorker()
      default:
        return new EditorWorker()
    }
  },
}
