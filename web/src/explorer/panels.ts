/** The titles of the side panels. */
export const documentation = 'Documentation Explorer'
export const costAndPlan = 'Cost and plan'

/**
 * Opens a side panel as its button in the side bar does. GraphiQL has an action for it, but that does not unfold a panel that is folded away (graphiql 5.4.0): this is
 * known to the side bar alone.
 */
export function openPanel(title: string): void {
  document.querySelector<HTMLButtonElement>(`.graphiql-sidebar button[aria-label="Show ${title}"]`)?.click()
}
