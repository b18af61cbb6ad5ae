import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { initWasm, Resvg } from '@resvg/resvg-wasm'
import { answerQuestions } from '@attestry/host/askedThread.ts'
import { yieldToReaders } from '@attestry/host/yieldToReaders.ts'
import { drawPicture } from './drawPicture.ts'
import type { PagePicture } from './pagePicture.ts'
import { pictureFonts } from './pictureFonts.ts'
import { readFont } from './readFont.ts'

/** The body of the thread that draws pictures of pages, one after the other. */
yieldToReaders()
const { resolve } = createRequire(import.meta.url)
await initWasm(readFileSync(resolve('@resvg/resvg-wasm/index_bg.wasm')))

const [regular, bold, others] = pictureFonts.map((path) => {
  // In an installed package the fonts stand beside this module.
  const packaged = fileURLToPath(new URL(`./fonts/${path.split('/').at(-1)}`, import.meta.url))
  return readFileSync(existsSync(packaged) ? packaged : resolve(path))
}) as [Buffer, Buffer, Buffer]
const further = readFont(others)
const fonts = { regular: [readFont(regular), further], bold: [readFont(bold), further] }
const font = { fontBuffers: [regular, bold, others], defaultFontFamily: 'Inter', loadSystemFonts: false }

function render(svg: string): Uint8Array {
  const drawing = new Resvg(svg, { font })
  const image = drawing.render()
  try {
    return image.asPng()
  } finally {
    image.free()
    drawing.free()
  }
}

answerQuestions((picture: PagePicture) => render(drawPicture(picture, fonts)))
