// The saved views of a project, as the server has them: the shared ones and those of the user.
import type {ApolloClient, TypedDocumentNode} from '@apollo/client'
import {
  CreateViewDocument,
  DeleteViewDocument,
  SavedViewsDocument,
  UpdateViewDocument,
  type CreateViewInput,
  type SavedViewFragment,
  type SavedViewsQuery,
  type SavedViewsQueryVariables,
  type UpdateViewInput,
} from '../../gql/graphql'
import {messages} from '../messages'
import {Store} from './store'

export type SavedView = SavedViewFragment

/** Reads the saved views of a project. */
export async function readSavedViews(client: ApolloClient, project: string): Promise<readonly SavedView[]> {
  const views: SavedView[] = []
  for (let after: string | null = null; ;) {
    // Not through the cache: it would keep a list for each page.
    const variables: SavedViewsQueryVariables = {project, after}
    const {data} = await client.query<SavedViewsQuery, SavedViewsQueryVariables>({query: SavedViewsDocument, variables, fetchPolicy: 'no-cache'})
    if (!data?.project?.views) throw new Error(messages.data.projectGone)
    const page = data.project.views
    views.push(...page.nodes)
    if (!page.pageInfo.hasNextPage) return views
    after = page.pageInfo.endCursor ?? null
  }
}

export class SavedViews extends Store<readonly SavedView[]> {
  /** How many changes were begun or ended. A list that was read meanwhile may lack them. */
  private changes = 0

  constructor(
    private readonly client: ApolloClient,
    private readonly project: string,
    views: readonly SavedView[],
  ) {
    super(views)
  }

  /** Reads the views again, and calls `before` with them if they have changed. */
  async refresh(before?: (views: readonly SavedView[]) => void): Promise<void> {
    const {changes} = this
    const views = await readSavedViews(this.client, this.project)
    if (changes !== this.changes || JSON.stringify(views) === JSON.stringify(this.state)) return
    before?.(views)
    this.replaceState(views)
  }

  async create(input: Omit<CreateViewInput, 'projectId' | 'idempotencyKey'>): Promise<SavedView> {
    const {createView} = await this.mutate(CreateViewDocument, {...input, projectId: this.project})
    return this.keep(createView!.view!)
  }

  async update(input: Omit<UpdateViewInput, 'idempotencyKey'>): Promise<SavedView> {
    const {updateView} = await this.mutate(UpdateViewDocument, input)
    return this.keep(updateView!.view!)
  }

  /** Deletes a view, and calls `before` when the server has done so. */
  async remove(id: string, before: () => void): Promise<void> {
    await this.mutate(DeleteViewDocument, {id})
    before()
    this.replaceState(this.state.filter(v => v.id !== id))
  }

  /** Puts a view in the list. At most one is the default. */
  private keep(view: SavedView): SavedView {
    const others = this.state.filter(v => v.id !== view.id)
    this.replaceState([...(view.isDefault ? others.map(v => ({...v, isDefault: false})) : others), view])
    return view
  }

  private async mutate<Data, Input>(mutation: TypedDocumentNode<Data, {input: Input}>, input: Input): Promise<Data> {
    this.changes++
    try {
      const variables = {input: {...input, idempotencyKey: crypto.randomUUID()}}
      const {data} = await this.client.mutate<unknown>({mutation, variables, fetchPolicy: 'no-cache'})
      return data as Data
    } finally {
      this.changes++
    }
  }
}
