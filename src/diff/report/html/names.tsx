import { shown } from '../../../report/html/text.js'

/** Longest list that is shown unfolded. */
const MAX_UNFOLDED = 8

/** Shows a list of names. A long list shows its first names, and folds the rest. */
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
