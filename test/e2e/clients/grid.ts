import type {RowFragment} from './generated/gql/graphql.ts'
import type {Transport} from './client.ts'

// The rows of a project as an endless list, as an application shows them, in one client's own way.
export interface Grid {
  // The rows that are shown now.
  rows(): RowFragment[]
  // Shows the next page too.
  next(): Promise<void>
  // Changes the name of an issue, and its value of the column that is shown.
  change(id: string, name: string, text: string): Promise<void>
  // Deletes an issue.
  remove(id: string): Promise<void>
}

// opens shows the first page. `column` is a custom field.
export type Opens = (url: string, transport: Transport, project: string, column: string, first: number) => Promise<Grid>
