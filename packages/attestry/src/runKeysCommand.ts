import { hashKey, newKey } from '@attestry/server/pipeline/access/apiKeys.ts'
import { ConfigError } from '@attestry/core/errors/configErrors.ts'
import { quoteText } from '@attestry/host/config/describeValue.ts'

/**
 * Makes a key for a client. Returns lines with the key, which is stored nowhere, and with its entry in the
 * configuration.
 * @param words the order, and the name of the client.
 * @throws ConfigError for another order, or a name that the configuration does not take.
 */
export function runKeysCommand([order, name = 'client']: readonly string[]): readonly string[] {
  if (order !== 'new') {
    const found = order === undefined ? 'there is none' : `it is ${quoteText(order)}`
    throw new ConfigError(`attestry keys takes the order new, and a name; ${found}`)
  }
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) {
    throw new ConfigError(
      `The name of a key must have letters, digits, dots, dashes and underscores, but is ${quoteText(name)}`,
    )
  }
  const key = newKey()
  return [
    `key: ${key}`,
    'The client sends it in the header x-api-key. It is stored nowhere: keep it now. In the configuration:',
    '',
    'server:',
    '  keys:',
    `    - { name: ${name}, hash: "${hashKey(key)}" }`,
  ]
}
