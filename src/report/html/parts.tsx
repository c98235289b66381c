/** Parts that the pages share. */
import type { ComponentChildren } from 'preact'

interface SectionProps {
  id: string
  title: ComponentChildren
  class?: string
  children?: ComponentChildren
}

/** Shows a section of a page below its heading. */
export function Section({ id, title, class: name, children }: SectionProps) {
  return (
    <section class={name} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  )
}

/** Shows what may be wider than the page, which scrolls then. */
export function Scroll({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be in reach of the keyboard
    <section class="scroll" aria-label={label} tabIndex={0}>
      {children}
    </section>
  )
}

/** Shows the head of a table. */
export function Columns({ names }: { names: readonly string[] }) {
  return (
    <thead>
      <tr>
        {names.map(name => (
          <th scope="col" key={name}>
            {name}
          </th>
        ))}
      </tr>
    </thead>
  )
}

/** Shows a mark in its colour. Screen readers skip it: the word beside it says the same. */
export function Sign({ tone, mark }: { tone: string; mark: string }) {
  return (
    <span class={`mark ${tone}`} aria-hidden="true">
      {mark}
    </span>
  )
}
