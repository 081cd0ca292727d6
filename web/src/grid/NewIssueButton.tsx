export function NewIssueButton() {
  return null
}
