/** A sentence of ours, in which what stands between backticks is code. */
export function Prose({ text }: { text: string }) {
  const parts = text.split('`')
  // Without its partner a backtick is one.
  if (parts.length % 2 === 0) return <>{text}</>
  return <>{parts.map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>
}
