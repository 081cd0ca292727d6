/** The titles of the side panels. */
export const documentation = 'Documentation Explorer'
export const costAndPlan = 'Cost and plan'

/**
 * Opens a side panel by clicking its button in the side bar. GraphiQL's own action does not unfold a folded panel (graphiql 5.4.0), because only the side bar
 * knows that state.
 */
export function openPanel(title: string): void {
  document.querySelector<HTMLButtonElement>(`.graphiql-sidebar button[aria-label="Show ${title}"]`)?.click()
}
