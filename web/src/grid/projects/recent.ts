// The projects that were opened last in this browser.

const key = 'issuegrid:recent'
const most = 6

/** Returns the IDs of the projects, the last one first. */
export function recentProjects(): readonly string[] {
  try {
    const ids: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    return Array.isArray(ids) ? ids.filter(id => typeof id === 'string') : []
  } catch {
    return []
  }
}

export function rememberProject(id: string): void {
  try {
    localStorage.setItem(key, JSON.stringify([id, ...recentProjects().filter(r => r !== id)].slice(0, most)))
  } catch {
    // a browser without storage remembers nothing
  }
}
