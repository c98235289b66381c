/**
 * Reads the files of the suite. Over 250 lines, since the faults of one file depend on the others: where a name stood
 * first, which files could not be read, and the order of the problems.
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { given } from '../ground/given.js'
import type { InteractionRecord, Profile } from '../result.js'
import { accusations, inVersion } from './accusations.js'
import { withBystanders } from './bystanders.js'
import { readDocument, type SuiteDocument } from './document.js'
import { type Family, type RawFamily, toFamily } from './family.js'
import { hint, type Miss, miss, type Path, type Problem, SuiteError, systemReason } from './problem.js'
import type { RawSpec, StepScope } from './raw-step.js'
import { toStep } from './read-step.js'
import { findRole } from './roles.js'
import type { SchemaName } from './schema.js'
import {
  type RequestTemplate,
  type Requirement,
  referenceTo,
  type Spec,
  type Suite,
  tokensHeld,
  waits,
} from './spec.js'
import {
  besideMisses,
  bystanderMisses,
  interactionMisses,
  interactionsOf,
  savedNames,
  saveMisses,
} from './spec-misses.js'
import { tokensIn, variableMisses } from './variables.js'

interface RawSpecFile {
  area: string
  specs: RawSpec[]
}

/** A folder of the suite: its path, and its name in messages and reports. */
export interface SuiteFolder {
  path: string
  label: string
  /** Present for a folder of the user. */
  isOwn?: true
}

/**
 * Loads the suite: the requirement ledger, the common requests, and every spec file of the given folders.
 *
 * In each folder, `requirements.yaml` adds to the ledger, and `requests.yaml` to the requests. Every other `*.yaml` or
 * `*.yml` is a spec file. Files of its subfolder `families` add to the families. Files are read in the order of their
 * names, so that two runs list specs alike.
 *
 * @param folders the built-in specs first, then those of `--specs`
 * @throws SuiteError with every problem of every file, in the order of the files and of their lines
 */
export function loadSuite(folders: SuiteFolder[]): Suite {
  const loader = new Loader()
  const files = folders.flatMap(folder => loader.list(folder))
  const named = (name: string) => files.filter(file => file.stem === name)
  for (const file of named('requirements')) loader.addRequirements(file)
  for (const file of named('requests')) loader.addRequests(file)
  for (const file of loader.familyFiles) loader.addFamilies(file)
  for (const file of files) if (!['requirements', 'requests'].includes(file.stem)) loader.addSpecs(file)
  return loader.finish()
}

/** A file of the suite; `stem` is its name without the ending. */
interface SuiteFile extends SuiteFolder {
  stem: string
}

class Loader {
  private readonly problems: Problem[] = []
  private readonly requirements = new Map<string, Requirement>()
  private readonly requests = new Map<string, RequestTemplate>()
  readonly familyFiles: SuiteFile[] = []
  private readonly families = new Map<string, Family>()
  private readonly specs: Spec[] = []
  /** The first place of each id, title, requirement and request. */
  private readonly first = new Map<string, string>()
  private readonly digest = createHash('sha256')
  /** The folders by their real paths; `order`: all files, by their names in messages, in the order of problems. */
  private readonly folders = new Map<string, string>()
  private readonly order: string[] = []
  /** The files of the user's folders. */
  private readonly own = new Set<string>()
  /** The kinds of files that could not all be read. A name of such a kind cannot be called unknown. */
  private readonly unread = new Set<SchemaName>()

  /** Lists the files of a folder, and those of its families. */
  list(folder: SuiteFolder): SuiteFile[] {
    const { path, label, isOwn } = folder
    this.order.push(label)
    const files = this.filesOf(folder, 'specs')
    if (!files) return []
    const before = this.folders.get(realpathSync(path))
    if (before !== undefined) {
      this.problem(folder, `is the same folder as ${before}, which is read already`)
      return []
    }
    this.folders.set(realpathSync(path), label)
    if (!files.length) this.problem(folder, 'holds no spec files (*.yaml)')
    if (isOwn) for (const file of files) this.own.add(file.label)
    // Most folders of users have none.
    if (existsSync(join(path, 'families'))) this.familyFiles.push(...(this.filesOf(folder, 'families') ?? []))
    return files
  }

  /** Lists the YAML files of a folder, sorted by name; undefined where it cannot be read. Hidden files are left out. */
  private filesOf(folder: SuiteFolder, what: 'specs' | 'families'): SuiteFile[] | undefined {
    const isFamilies = what === 'families'
    const path = isFamilies ? join(folder.path, what) : folder.path
    const label = isFamilies ? `${folder.label}/${what}` : folder.label
    try {
      const names = readdirSync(path).filter(name => /^[^.].*\.ya?ml$/i.test(name))
      const files = names.sort().map(name => {
        return { path: join(path, name), label: `${label}/${name}`, stem: name.replace(/\.ya?ml$/i, '') }
      })
      this.order.push(...files.map(file => file.label))
      return files
    } catch (error) {
      this.problem(folder, `cannot be read as a folder of ${what}: ${systemReason(error, 'folder')}`)
      return undefined
    }
  }

  private problem({ label }: SuiteFolder, message: string): void {
    this.problems.push({ file: label, line: 1, column: 1, message })
  }

  addFamilies(file: SuiteFile): void {
    this.read<{ families: Record<string, RawFamily> }>(file, 'families', document => {
      for (const [name, raw] of Object.entries(document.value.families)) {
        this.unique(document, ['families', name], 'family', name)
        const { family, misses } = toFamily(name, raw, document)
        for (const { path, message } of misses) this.report(document, ['families', name, ...path], message)
        this.families.set(name, family)
      }
    })
  }

  addRequirements(file: SuiteFile): void {
    this.read<{ requirements: Requirement[] }>(file, 'requirements', document => {
      document.value.requirements.forEach((requirement, index) => {
        this.unique(document, ['requirements', index, 'id'], 'requirement', requirement.id)
        this.requirements.set(requirement.id, requirement)
      })
    })
  }

  addRequests(file: SuiteFile): void {
    this.read<{ requests: Record<string, RequestTemplate> }>(file, 'requests', document => {
      for (const [name, request] of Object.entries(document.value.requests)) {
        const at = (...path: string[]) => ['requests', name, ...path]
        this.unique(document, at(), 'request', name)
        if (request.role) this.unique(document, at('role'), 'role', request.role)
        const check = (value: unknown, ...path: string[]) => {
          for (const message of variableMisses(value)) this.report(document, at(...path), message)
          for (const token of tokensIn(value)) {
            this.report(document, at(...path), `{token ${token}} stands in steps only, where tokens are issued`)
          }
        }
        check(request.path, 'path')
        check(request.body, 'body')
        for (const [header, value] of Object.entries(request.headers ?? {})) check(value, 'headers', header)
        this.requests.set(name, request)
      }
    })
  }

  addSpecs(file: SuiteFile): void {
    this.read<RawSpecFile>(file, 'spec', document => {
      document.value.specs.forEach((_, index) => {
        this.addSpec(document, index)
      })
    })
  }

  finish(): Suite {
    if (this.problems.length) {
      const place = ({ file }: Problem) => this.order.indexOf(file)
      throw new SuiteError(this.problems.sort((a, b) => place(a) - place(b) || a.line - b.line || a.column - b.column))
    }
    const { specs, requests, requirements, families } = this
    return { specs, requests, requirements, families, digest: this.digest.digest('hex') }
  }

  private addSpec(document: SuiteDocument<RawSpecFile>, index: number): void {
    const raw = document.value.specs[index]
    if (!raw) return
    const at = (...path: Path) => ['specs', index, ...path]
    const report = (misses: readonly Miss[], ...where: Path) => {
      for (const { path, message } of misses) this.report(document, at(...where, ...path), message)
    }
    const { line } = document.problemAt(at(), '')
    const requirements = raw.requirements.flatMap((id, position) => {
      const known = this.requirements.get(id)
      const where = at('requirements', position)
      if (known?.level === 'excluded') this.report(document, where, `'${id}' is excluded from testing: ${known.reason}`)
      if (!known && !this.unread.has('requirements'))
        this.report(document, where, `unknown requirement '${id}'${hint(id, this.requirements.keys())}`)
      return known ? [referenceTo(known)] : []
    })
    const rawSteps = [...(raw.given ?? []), ...raw.steps]
    const isEach = rawSteps.some(step => step.http === 'each')
    const unusedIn = rawSteps.map(step => step.wait?.unused).find(Array.isArray) ?? [undefined]
    const accessControl = raw.when?.['access-control'] ?? 'on'
    const interactions: InteractionRecord[] = interactionsOf(raw)
    const { steps: testing, misses: leftOpen } = accusations(raw)
    report(leftOpen)
    const [probe, revoke] = [findRole(this.requests, 'probe'), findRole(this.requests, 'revoke')]
    report(saveMisses(raw))
    report(bystanderMisses(raw, this.unread.has('requests') || probe !== undefined))
    const measuresLifetime = raw.when?.measuring === 'lifetime'
    const only = (profile: Profile) => (raw.when?.profile === profile ? (true as const) : undefined)
    const build = (version: Version | undefined, unused?: string): Spec => {
      const scope: StepScope = {
        tokens: new Set(),
        requests: this.unread.has('requests') ? undefined : this.requests,
        families: this.unread.has('families') ? undefined : this.families,
        saved: savedNames(rawSteps),
        accessControl,
        version: version ?? '1.1',
        unused,
      }
      const steps = (key: 'given' | 'steps') =>
        (raw[key] ?? []).flatMap((step, position) => {
          const result = toStep(step, scope)
          if ('step' in result)
            return [{ ...result.step, ...(key === 'steps' && inVersion(testing[position], version)) }]
          // Report a miss once, also for a spec that is built more than once.
          if (version !== '1.0' && unused === unusedIn[0]) report(result.misses, key, position)
          return []
        })
      const spec: Spec = {
        id: [raw.id, version && `http${version.replace('.', '')}`, unused?.replace(/\W+/g, '')]
          .filter(Boolean)
          .join('-'),
        area: document.value.area,
        title: [raw.title, version && `over HTTP/${version}`, unused && `after ${unused}`].filter(Boolean).join(', '),
        level: raw.level ?? 'must',
        requirements,
        accessControl,
        measuresLifetime,
        given: steps('given'),
        steps: steps('steps'),
        ...given({ isAlone: raw.alone, isLate: raw.late }),
        ...given({ isForFull: only('full'), isForLong: only('long') }),
        // Contracts speak HTTP/1.1 only.
        ...given({ interactions: interactions.length > 0 && version !== '1.0' ? interactions : undefined }),
        file: document.file,
        line,
        ...(this.own.has(document.file) && { isOwn: true as const }),
      }
      return raw.bystanders === undefined ? spec : withBystanders(spec, raw.bystanders, probe ?? '')
    }
    const versions: (Version | undefined)[] = isEach ? ['1.1', '1.0'] : [undefined]
    const specs = versions.flatMap(version => unusedIn.map(unused => build(version, unused)))
    for (const spec of specs) {
      if (raw.late && tokensHeld(spec, spec.given.length) > (waits(spec) ? 1 : 0)) report([miss(LATE, 'late')])
      this.unique(document, at('id'), 'id', spec.id)
      this.unique(document, at('title'), 'title', spec.title)
    }
    for (const key of ['given', 'steps'] as const) {
      report(besideMisses(raw[key] ?? [], revoke), key)
      for (const [position, step] of (raw[key] ?? []).entries()) {
        const { observe, interaction } = step
        if (observe !== undefined) this.unique(document, at(key, position, 'observe'), 'observation', observe)
        if (observe !== undefined && specs.length > 1) report([miss(EACH_OBSERVED, 'observe')], key, position)
        if (!interaction) continue
        const { name, description, state } = interaction
        const marked = at(key, position, 'interaction')
        this.unique(document, [...marked, 'name'], 'interaction', name)
        this.unique(document, [...marked, 'description'], 'interaction with', `${description}' given '${state}`)
        report(interactionMisses(raw, step), key, position)
      }
    }
    if (leftOpen.length === 0 && specs.some(spec => spec.steps.length >= raw.steps.length && !canTell(spec))) {
      const what = raw.level === 'observe' ? 'expects or observes anything, so it could tell nothing' : NEVER_FAILS
      report([miss(`no step of '${raw.id}' ${what}`, 'steps')])
    }
    this.specs.push(...specs)
  }

  private unique(document: SuiteDocument<unknown>, path: Path, what: string, value: string): void {
    const { line } = document.problemAt(path, '')
    const key = `${what} ${value}`
    const first = this.first.get(key)
    if (first) this.report(document, path, `duplicate ${what} '${value}', first at ${first}`)
    else this.first.set(key, `${document.file}:${line}`)
  }

  private read<T>(
    file: SuiteFile,
    schema: 'spec' | 'families' | 'requests' | 'requirements',
    use: (document: SuiteDocument<T>) => void,
  ): void {
    try {
      const document = readDocument<T>(file.path, file.label, schema)
      this.digest.update(document.text)
      use(document)
    } catch (error) {
      if (!(error instanceof SuiteError)) throw error
      this.unread.add(schema)
      this.problems.push(...error.problems)
    }
  }

  private report(document: SuiteDocument<unknown>, path: Path, message: string): void {
    this.problems.push(document.problemAt(path, message))
  }
}

type Version = '1.1' | '1.0'

const NEVER_FAILS = "tests anything, so it could never fail; a logon tests where it says 'tests'"
const LATE = "'late' goes with a spec whose 'given' revokes its tokens, or that waits for the end of a single one"
const EACH_OBSERVED = "several specs are made of this one, and they would record the same facts: leave 'observe' out"

/** Whether a spec can fail, or, where it only observes, can record something. */
function canTell({ steps, level }: Spec): boolean {
  if (level === 'must') return steps.some(({ tests }) => tests.length > 0)
  return steps.some(step => {
    if (step.action !== 'send') return step.action !== 'wait' && step.action !== 'later'
    return step.expect.length > 0 || step.observe !== undefined || step.spares !== undefined
  })
}
