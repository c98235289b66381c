/** Shows a sentence of ours. Text between backticks becomes code. */
export function Prose({ text }: { text: string }) {
  const parts = text.split('`')
  // An odd number of backticks: show them as they are.
  if (parts.length % 2 === 0) return <>{text}</>
  return <>{parts.map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>
}
