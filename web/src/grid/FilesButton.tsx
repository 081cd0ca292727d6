export function FilesButton() {
  return null
}
