// Changes the definition of the project that the page shows.
import {useGrid} from '../context/context'
import {ProjectDocument} from '../../gql/graphql'
import {useSender, type Sender} from './changes'
import type {Project} from '../model/columns'

/**
 * Returns a sender whose changes the page shows at once. A change that a job applies to the issues is followed until the job has ended.
 */
export function useDefinition(): Sender & {project: Project} {
  const {client, project, reload, jobs} = useGrid()
  const sender = useSender()
  return {
    ...sender,
    project,
    async send(mutation, input) {
      const data = await sender.send(mutation, input)
      // Another server may know the older definition for some seconds, so that it is taken from the response.
      const changed = data && client.readQuery({query: ProjectDocument, variables: {id: project.id}})?.project
      if (changed) {
        reload(changed)
        if (changed.rebuilding || changed.fields?.some(f => f.rebuilding)) jobs.watch()
      }
      return data
    },
  }
}
