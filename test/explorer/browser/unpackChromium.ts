import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inflate } from '@sparticuz/chromium'

/**
 * Unpacks the browser of the npm package, its libraries and its fonts into TMPDIR, the only target that the package
 * supports. Only `findChromium` starts this process.
 */
const packed = fileURLToPath(new URL('../bin', import.meta.resolve('@sparticuz/chromium')))
const archives = ['chromium.br', 'fonts.tar.br', 'al2023.tar.br', 'swiftshader.tar.br']
await Promise.all(archives.map((name) => inflate(join(packed, name))))
