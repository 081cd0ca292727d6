// The deletion of issues: a stub until the dialog is there.
export function DeleteDialog({ids, onClose}: {ids: readonly string[]; onClose: () => void}) {
  void ids
  void onClose
  return null
}
