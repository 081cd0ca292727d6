import {CriticalityLevel, diff, type Change} from '@graphql-inspector/core'
import {buildSchema} from 'graphql'

// breaking compares two schemas and gives the changes that break clients.
export async function breaking(released: string, current: string): Promise<Change[]> {
  const changes = await diff(buildSchema(released), buildSchema(current))
  return changes.filter(({criticality}) => criticality.level === CriticalityLevel.Breaking)
}

// unreleased gives the paths that CHANGELOG.md lists under the version that is not released yet. Each is at the beginning of an entry,
// with a colon after the last one: "- `Query.node`, `Query.nodes`: what to change in a client".
export function unreleased(changelog: string): string[] {
  const section = /^## Unreleased\n([^]*?)(?=^## |(?![^]))/m.exec(changelog)
  if (!section) throw new Error('CHANGELOG.md has no section "## Unreleased"')
  const entries = section[1]!.matchAll(/^- ((?:`[^`\n]+`(?:, )?)+): \S/gm)
  return [...entries].flatMap(([, paths]) => [...paths!.matchAll(/`([^`]+)`/g)].map(([, path]) => path!))
}

// complaints says which breaking changes the changelog lacks, as the entries to write, and which paths it lists without such a change.
export function complaints(changes: Change[], changelog: string): string[] {
  const listed = unreleased(changelog)
  const paths = changes.map(({path}) => path)
  return [
    ...changes.filter(({path}) => !path || !listed.includes(path)).map(({path, message}) => `missing: - \`${path}\`: ${message}`),
    ...listed.filter((path) => !paths.includes(path)).map((path) => `not a breaking change: ${path}`),
  ]
}
