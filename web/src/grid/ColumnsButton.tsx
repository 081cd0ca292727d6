export function ColumnsButton() {
  return null
}
