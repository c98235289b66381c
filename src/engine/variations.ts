/** Makes the requests of a step that ranges over a family. */
import type { Exchange, WireRequest } from '../core/exchange.js'
import { withToken } from '../core/session.js'
import { neverIssued, type Token } from '../core/token.js'
import { makeAll } from '../suite/families/generators.js'
import type { Made } from '../suite/families/made.js'
import { carriesToken, OWN_PATH, type Variation } from '../suite/family.js'
import type { SendStep } from '../suite/spec.js'
import { UNKNOWN_TOKEN } from '../suite/step-words.js'
import type { RunContext } from './context.js'
import { makeRequest } from './requests.js'

/** One variation, ready to send. */
export interface Ready {
  name: string
  step: SendStep
  request: WireRequest
  /** The step's own token, where the variation keeps it in its header. */
  token: Token | undefined
}

/** The things that variations are made from. */
export interface VariationSource {
  context: RunContext
  /** The tokens of the spec, by name. */
  named: ReadonlyMap<string, Token>
  /** The exchanges of the spec so far, its logons included. */
  exchanges: readonly Exchange[]
}

/** Makes the requests of a step with `each` from the present tokens of its spec. */
export class Variations {
  private ownRequest: WireRequest | undefined

  constructor(
    private readonly step: SendStep,
    private readonly source: VariationSource,
  ) {}

  /** The request as the step has it. */
  get own(): WireRequest {
    this.ownRequest ??= makeRequest(this.source.context.parts, this.step.request, this.step, name => this.valueOf(name))
    return this.ownRequest
  }

  /** Returns the variations in their order, without those that this Core is known not to understand. */
  ready(): Ready[] {
    const { context } = this.source
    const { each } = this.step
    if (!each) return []
    const http10 = context.dialect.http10 === true
    const isSpoken = (variation: Variation) => variation.http !== '1.0' || http10
    const all = [...this.made(each.made), ...each.variations.filter(isSpoken).map(each => this.listed(each))]
    return each.only ? all.filter(({ name }) => each.only?.includes(name)) : all
  }

  private listed(variation: Variation): Ready {
    const { each: _, spares: __, bracket: ___, ...own } = this.step
    const { name, token: text, headers, ...others } = variation
    const path = others.path?.replace(OWN_PATH, this.own.path.split('?', 1)[0] ?? '')
    const departed: SendStep = {
      ...own,
      ...others,
      headers: { ...own.headers, ...headers },
      ...(path !== undefined && { path }),
    }
    const { parts } = this.source.context
    const request = makeRequest(parts, own.request, departed, token => this.valueOf(token))
    const filled = text === undefined ? undefined : this.filled(text)
    return this.whole(name, departed, request, filled, carriesToken(variation))
  }

  private made(names: Parameters<typeof makeAll>[0]): Ready[] {
    const { context, named } = this.source
    const { variables } = context.parts
    const token = named.get(this.step.token?.name ?? '')
    const own = this.own
    const made = makeAll(names, {
      token: token?.value ?? '',
      username: variables.username ?? '',
      password: variables.password ?? '',
      path: own.path.split('?', 1)[0] ?? own.path,
      authority: variables.authority ?? '',
      cookies: token ? this.cookiesOf(token) : [],
    })
    const { each: _, spares: __, bracket: ___, ...step } = this.step
    // A made-up token that was issued by chance is no variation.
    const isIssued = ({ token: value }: Made) => context.session.tokens.some(each => each.value === value)
    return made
      .filter(each => !isIssued(each))
      .map(({ name, token: value, headers = {}, path, body, secrets = [] }) => {
        for (const secret of secrets) context.session.hide(secret, 'made of the password')
        const request: WireRequest = {
          ...own,
          headers: [...own.headers, ...Object.entries(headers)],
          ...(path !== undefined && { path }),
          ...(body !== undefined && { body }),
        }
        const departed: SendStep = { ...step, ...(body !== undefined && { body }) }
        return this.whole(name, departed, request, value, value !== undefined || Object.keys(headers).length > 0)
      })
  }

  private whole(name: string, step: SendStep, request: WireRequest, value: string | undefined, isOwn: boolean): Ready {
    const token = isOwn ? undefined : this.source.named.get(this.step.token?.name ?? '')
    const { token: _, ...without } = step
    const isUnknown = !isOwn && this.step.token?.name === UNKNOWN_TOKEN
    const carried =
      value ?? (isUnknown ? neverIssued(this.source.context.session.tokens[0]?.value ?? '') : token?.value)
    return {
      name,
      step: isOwn ? without : step,
      request: carried === undefined ? request : withToken(request, carried),
      token,
    }
  }

  private filled(text: string): string {
    const { parts } = this.source.context
    const request = makeRequest(parts, this.step.request, { headers: { X: text } }, token => this.valueOf(token))
    return request.headers.find(([name]) => name === 'X')?.[1] ?? text
  }

  private valueOf(name: string): string {
    return this.source.named.get(name)?.value ?? ''
  }

  /** Returns the cookies that the logon of a token set, each as `name=value`. */
  private cookiesOf({ issued }: Token): string[] {
    const logon = this.source.exchanges.find(({ sentAt }) => sentAt === issued.sentAt)
    const set = logon?.response?.headers.filter(([name]) => name.toLowerCase() === 'set-cookie') ?? []
    return set.map(([, value]) => value.split(';', 1)[0]?.trim() ?? '').filter(Boolean)
  }
}
