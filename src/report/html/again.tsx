import type { RunResult, SpecRecord } from '../../result.js'
import { scriptOf } from '../by-hand.js'
import { rerunLine, rerunNeeds } from '../reproduce.js'
import { sentence, shownLines } from './text.js'

/** Longest command line and longest script, in characters. A script has a few lines for each step. */
const [LINE_ROOM, SCRIPT_ROOM] = [2000, 20_000]

/** Shows how to repeat a failure: the command line, and a shell script for a run by hand. */
export function Again({ result, spec }: { result: RunResult; spec: SpecRecord }) {
  const [script, needs] = [scriptOf(result, spec), rerunNeeds(result)]
  return (
    <details class="again">
      <summary>See it again</summary>
      <Lines text={shownLines(rerunLine(result, spec), LINE_ROOM)} />
      {needs !== undefined && <p class="muted">{sentence(needs)}</p>}
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
