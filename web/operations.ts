// Writes the operations of the grid to operations.json, word for word as it sends them: the manifest for servers that run none but those of a list.

import {InMemoryCache} from '@apollo/client'
import {Kind, print, type DocumentNode} from 'graphql'
import {createHash} from 'node:crypto'
import {runnerImport, type Plugin} from 'vite'

/** The modules with the documents of operations. */
const documents = ['./src/gql/graphql.ts', './src/gql/later/graphql.ts', './src/grid/data/summaryDocuments.ts']

export function operations(): Plugin {
  return {
    name: 'operations',
    apply: 'build',
    async generateBundle() {
      const modules = await Promise.all(documents.map(file => runnerImport<Record<string, unknown>>(file)))
      const cache = new InMemoryCache() // Apollo sends what its cache makes of a document
      const operations = modules
        .flatMap(({module}) => Object.entries(module))
        .filter(([name]) => name.endsWith('Document'))
        .map(([, document]) => {
          const body = print(cache.transformDocument(document as DocumentNode))
          const {name, operation} = (document as DocumentNode).definitions.find(d => d.kind === Kind.OPERATION_DEFINITION)!
          return {id: createHash('sha256').update(body).digest('hex'), name: name?.value ?? '', type: operation, body}
        })
        .sort((a, b) => (a.name < b.name ? -1 : 1))
      const manifest = {format: 'apollo-persisted-query-manifest', version: 1, operations}
      this.emitFile({type: 'asset', fileName: 'operations.json', source: JSON.stringify(manifest, null, 2) + '\n'})
    },
  }
}
