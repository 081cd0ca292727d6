// The caller, as the server sees it.
import type {ViewerQuery} from '../../gql/graphql'

export type Viewer = NonNullable<ViewerQuery['viewer']>
