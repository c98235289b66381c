import type { RunResult, SpecRecord } from '../../result.js'
import { rerunLine, scriptOf } from '../reproduce.js'
import { shownLines } from './text.js'

/** Of a command line, and of a script, which has a few lines for each step. */
const [LINE_ROOM, SCRIPT_ROOM] = [2000, 20_000]

/** How the failure is seen again: the line that repeats it, and a script that shows it by hand. */
export function Again({ result, spec }: { result: RunResult; spec: SpecRecord }) {
  const script = scriptOf(result, spec)
  return (
    <details class="again">
      <summary>See it again</summary>
      <Lines text={shownLines(rerunLine(result, spec), LINE_ROOM)} />
      {script !== undefined && (
        <>
          <p>By hand, as a shell script:</p>
          <Lines text={shownLines(script.trimEnd(), SCRIPT_ROOM)} />
        </>
      )}
    </details>
  )
}

function Lines({ text }: { text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be in reach of the keyboard
    <pre tabIndex={0}>
      <code>{text}</code>
    </pre>
  )
}
