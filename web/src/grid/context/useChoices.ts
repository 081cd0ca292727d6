// The choices of a column that are not in its definition, for the editors of the grid and the panel.
import {useCallback} from 'react'
import {useGrid} from './context'
import {addOption, knownValues} from '../data/choices'
import {findPeople, found} from '../data/people'
import {freshColor} from '../model/colors'
import {isField, type Column} from '../model/columns'
import type {User} from '../model/people'
import type {Choices} from '../ui/choices'

/** Returns a function that returns the choices of a column. It changes only with the rows and the definition of the project. */
export function useChoices(): (column: Column) => Choices {
  const {client, fields, project, reload, rows, user} = useGrid()
  const tenant = project.tenant?.id
  const findUsers = useCallback(
    async (text: string) => {
      const {found: people, complete} = tenant === undefined ? {found: [], complete: true} : await findPeople(client, tenant, text, false)
      return {found: found(people, {text, self: user, without: new Set(), teams: false}) as User[], complete}
    },
    [client, tenant, user],
  )
  return useCallback(
    column => {
      const isChoice = column.type === 'SELECT' || column.type === 'MULTI_SELECT'
      const create = async (name: string) => {
        const added = await addOption(client, project.id, column.id, name, freshColor(column.options.map(o => o.color)))
        if (added.project) reload(added.project)
        return added.id
      }
      return {
        known: column.type === 'USER' || column.type === 'TAGS' ? () => knownValues(client, rows, column, fields) : undefined,
        findUsers: column.type === 'USER' ? findUsers : undefined,
        onCreate: project.viewerCanAdminister && isField(column) && isChoice ? create : undefined,
      }
    },
    [client, fields, findUsers, project, reload, rows],
  )
}
