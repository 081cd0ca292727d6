// The link to the playground with the query of a view, its plan and its cost.
import type {GridQuery} from './source'

// eslint-disable-next-line no-restricted-syntax -- a text of the playground
const query = `# A page of the view in the grid, and how it was found. Run it with Ctrl+Enter.
query View($project: ID!, $orderBy: [IssueOrder!], $where: IssueFilter, $timeZone: TimeZone! = "UTC") {
  project(id: $project) {
    name
    issues(first: 100, orderBy: $orderBy, where: $where, timeZone: $timeZone) {
      nodes {
        num
        name
      }
      pageInfo {
        hasNextPage
        endCursor
      }
      incomplete
      explain {
        text
      }
    }
  }
}
`

/** Returns the URL of the playground with the query of a view. It is after the #, which browsers do not send to servers. */
export const explainURL = (view: GridQuery): string => `/playground#${new URLSearchParams({query, variables: JSON.stringify(view, null, 2)}).toString()}`
