// Saves the views of a browser on the server.
import type {SavedViews} from '../data/savedViews'
import {problemOf} from '../data/client'
import type {Column} from '../model/columns'
import {readView} from '../model/view'
import {contentOf, hasMore} from './saved'
import type {NamedView} from './views'

export interface Uploaded {
  /** Those that the server keeps in full. */
  saved: string[]
  /** Those that are saved without their search, pinned columns or height of rows. */
  partly: string[]
  /** Those that are not saved, and why. */
  failed: {name: string; code: string; message: string}[]
}

/** Saves views as private ones, one after another. */
export async function upload(to: Pick<SavedViews, 'create'>, views: readonly NamedView[], all: readonly Column[]): Promise<Uploaded> {
  const done: Uploaded = {saved: [], partly: [], failed: []}
  for (const {name, query} of views) {
    const view = readView(query)
    try {
      await to.create({name, shared: false, ...contentOf(view, all)})
      done[hasMore(view) ? 'partly' : 'saved'].push(name)
    } catch (error) {
      done.failed.push({name, ...problemOf(error)})
    }
  }
  return done
}
