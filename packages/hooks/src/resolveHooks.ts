import { hookEvents, type HookConfig } from './hookConfig.ts'
import { parseSecret, secretBytesMax, secretBytesMin } from './signMessage.ts'
import { parseCompositeId } from '@attestry/core/model/compositeId.ts'
import { parseAddress } from '@attestry/core/model/hex.ts'
import { recipientNamed } from '@attestry/core/index/indexQueries.ts'
import { quoteText, type KeyPath } from '@attestry/host/config/describeValue.ts'
import { staleAfterSecondsDefault, type HookEntry } from './hookSchema.ts'
import { MistakeFound, settleParts, type Mistake } from '@attestry/host/config/mistakes.ts'
import { readFieldConditions } from '@attestry/server/pipeline/parameters/readFieldConditions.ts'

/**
 * Resolves the `hooks` of a file that matches the schema. No sentence holds a URL or a secret.
 * @param areSent false for commands that send nothing: URLs and secrets may lack their environment variables, and are
 * not checked.
 * @throws MistakeFound
 */
export function resolveHooks(entries: readonly HookEntry[], areSent: boolean): readonly HookConfig[] {
  const seen = new Map<string, number>()
  const parts = entries.map((entry, index) => () => {
    const path: KeyPath = ['hooks', index]
    const first = seen.get(entry.name)
    if (first !== undefined) {
      throw MistakeFound.at([...path, 'name'], `must be unique, but is ${entry.name} as in hooks[${first}]`)
    }
    seen.set(entry.name, index)
    const secrets = [entry.secret].flat()
    const checkSecrets = () => {
      for (const [place, secret] of secrets.entries()) {
        if (parseSecret(secret) !== null) continue
        throw MistakeFound.at(
          Array.isArray(entry.secret) ? [...path, 'secret', place] : [...path, 'secret'],
          `must be whsec_ and ${secretBytesMin} to ${secretBytesMax} bytes in Base64, but is a value that is not shown`,
        )
      }
    }
    const [filter] = settleParts<readonly [HookConfig['filter'], void, void]>([
      () => resolveFilter(entry.filter ?? {}, [...path, 'filter']),
      () => void (areSent && checkUrl(entry.url, [...path, 'url'])),
      () => void (areSent && checkSecrets()),
    ])
    return {
      name: entry.name,
      url: entry.url,
      secrets,
      events: new Set(entry.events ?? hookEvents),
      when: entry.when ?? 'head',
      filter,
      staleAfterMs: (entry.staleAfterSeconds ?? staleAfterSecondsDefault) * 1_000,
    }
  })
  return settleParts<readonly HookConfig[]>(parts)
}

function checkUrl(url: string, path: KeyPath): void {
  if (/^https?:\/\//.test(url) && URL.canParse(url)) return
  throw MistakeFound.at(
    path,
    'must be a URL that starts with http:// or https://, but is a value that is not shown',
  )
}

function resolveFilter(filter: NonNullable<HookEntry['filter']>, path: KeyPath): HookConfig['filter'] {
  const { schemaId, attester, recipient = null, chainId = null, protocol = null, field } = filter
  const schema = schemaId === undefined ? null : parseCompositeId(schemaId)
  if (schema !== null && schema.kind !== 'record') {
    throw MistakeFound.at(
      [...path, 'schemaId'],
      `must be a composite id such as onchain_evm_11155111_0x1a, but is ${quoteText(schemaId ?? '')}`,
    )
  }
  const address = attester === undefined ? null : parseAddress(attester)
  if (attester !== undefined && address === null) {
    throw MistakeFound.at(
      [...path, 'attester'],
      `must be an address of 0x and 40 hexadecimal digits, but is ${quoteText(attester)}`,
    )
  }
  const mistakes: Mistake[] = []
  const fields = readFieldConditions(field, [...path, 'field'], (place, text) => {
    mistakes.push({ path: place, text })
    return null
  })
  if (mistakes.length > 0) throw new MistakeFound(mistakes)
  return {
    schema: schema === null ? null : schema.key,
    attester: address,
    recipient: recipientNamed(recipient),
    chainId: chainId === null ? null : Number(chainId),
    protocol,
    fields,
  }
}
