export function JumpButton() {
  return null
}
