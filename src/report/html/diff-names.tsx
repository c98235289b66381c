import { shown } from './text.js'

/** A longer list is opened by whoever wants it. */
const MAX_UNFOLDED = 8

/** A list of names; of a long one the first few, and the others to unfold. */
export function Names({ names }: { names: string[] }) {
  const text = (some: string[]) => some.map(name => shown(name, 80)).join(', ')
  if (names.length <= MAX_UNFOLDED) return <span>{text(names)}</span>
  return (
    <details>
      <summary>
        {text(names.slice(0, 3))} and {names.length - 3} more
      </summary>
      {text(names.slice(3))}
    </details>
  )
}
