import { readFileSync } from 'node:fs'
import { readSigningKey, type SigningKey } from './readSigningKey.ts'
import { ConfigError } from '@attestry/core/errors/configErrors.ts'
import { describeReadFailure } from '@attestry/host/describeReadFailure.ts'

/** The key `server.gate.key`, and its text. */
export interface GateKey {
  readonly text: string
  readonly signingKey: SigningKey
}

/**
 * Reads the key that signs verdicts.
 * @param setting the path of a file, or the text of the key.
 * @throws ConfigError, which holds no part of the key.
 */
export function readGateKey(setting: string): GateKey {
  const text = setting.includes('-----BEGIN ') ? setting : readKeyFile(setting)
  const signingKey = readSigningKey(text)
  if ('wrong' in signingKey) {
    const place = text === setting ? 'server.gate.key' : `The file that server.gate.key names`
    throw new ConfigError(`${place} ${signingKey.wrong}`)
  }
  return { text, signingKey }
}

function readKeyFile(path: string): string {
  const [, variable] = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/.exec(path) ?? []
  if (variable !== undefined) {
    throw new ConfigError(
      `server.gate.key names the environment variable ${variable}, which is not set or empty; set it`,
    )
  }
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const reason = describeReadFailure(error, {
      ENOENT: 'does not exist; openssl genpkey -algorithm ed25519 makes a key',
      EISDIR: 'is a folder; name a file',
      ENAMETOOLONG: 'has no path; a key as text begins with -----BEGIN PRIVATE KEY-----',
    })
    // A path of many characters may be a key without its first line.
    const shown = path.length > shownMax ? '' : ` ${JSON.stringify(path)}`
    throw new ConfigError(`The file${shown} that server.gate.key names ${reason}`, { cause: error })
  }
}

/** The keys as text without their first line have at least 64 characters. */
const shownMax = 60
