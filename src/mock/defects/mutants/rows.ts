/** Reads the tables of mutants, `triggers.txt` and `standings.txt` of `contracts/defects/`, and the words of their rows. */
import { contractText } from '../../text-file.js'

/** Reads a table by its name: each row, and the heading above it, in their parts between bars. A long row goes on in a further line. */
export function tableOf(name: string): { heading: string[]; row: string[] }[] {
  let heading: string[] = []
  return contractText(`defects/${name}.txt`)
    .replace(/\n {4}/g, ' ')
    .split('\n')
    .flatMap(line => {
      const parts = line.trim().split(' | ')
      if (line.startsWith('  ')) return [{ heading, row: parts }]
      if (!line.startsWith('#')) heading = parts
      return []
    })
}

/** Reads the words of a row, its id, its weight and its clause: `cookie 2: has the header Cookie`. */
export function inWords(words: string): { id: string; weight: number; that: string } {
  const [, id = '', weight, that = ''] = /^(\S+) ([\d.]+): (.+)$/.exec(words) ?? []
  return { id, weight: Number(weight), that }
}
