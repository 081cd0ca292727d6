// What the generated types take and refuse; tsc reads it, and nothing runs it.
import type {CreateIssueMutationVariables, IssueOrder, ValueFragment, ValueInput} from './generated/gql/graphql.ts'
import type {operationsCreateIssueMutation} from './relay/__generated__/operationsCreateIssueMutation.graphql.ts'
import type {operationsIssuePageQuery} from './relay/__generated__/operationsIssuePageQuery.graphql.ts'
import type {IssuePageQueryVariables} from './generated/gql/graphql.ts'

// One member of a @oneOf input, and no more.
export const byField: IssueOrder = {column: {fieldId: 'an id'}}
// @ts-expect-error two columns
export const byTwo: IssueOrder = {column: {fieldId: 'an id', builtin: 'NUM'}}
// @ts-expect-error no column
export const byNone: IssueOrder = {column: {}}

// Scalars: an Int64 is digits, a date is text.
export const integer: ValueInput = {integer: '9007199254740993'}
// @ts-expect-error a number has lost digits before it is sent
export const number: ValueInput = {integer: 9007199254740993}
export const date: ValueInput = {date: '2026-02-28'}
// @ts-expect-error JSON.stringify makes another text of it than a date
export const clock: ValueInput = {date: new Date()}

// The type of a value is known by its __typename.
export const shown = (value: ValueFragment): string => {
  switch (value.__typename) {
    case 'IntegerValue':
      return value.integer
    case 'DateTimeValue':
      return value.dateTime
    case 'SelectValue':
      return value.option.name
    default:
      return value.display
  }
}

// What Relay's compiler makes of inputs takes what codegen makes of them.
export const toRelay = (variables: CreateIssueMutationVariables): operationsCreateIssueMutation['variables'] => variables
export const filterToRelay = (where: IssuePageQueryVariables['where']): operationsIssuePageQuery['variables']['where'] => where
// @ts-expect-error two values, for Relay too
export const twoForRelay: operationsCreateIssueMutation['variables'] = {input: {projectId: '', issue: {name: '', values: [{fieldId: '', value: {text: '', number: 1}}]}}}
