export function ViewsButton() {
  return null
}
