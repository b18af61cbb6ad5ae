import { formatCompactCount } from '../format/formatCount.ts'
import { axisOf } from './chartGeometry.ts'

export interface PicturedChart {
  readonly title: string
  /** The host that the counts are from. */
  readonly source: string
  readonly labels: readonly string[]
  /** One for each label. */
  readonly values: readonly number[]
}

const width = 1200
const height = 630
const plot = { left: 90, right: 1160, top: 110, bottom: 540 }

/** A chart as a PNG of the size of a link's preview, on white. */
export async function pictureOf({ title, source, labels, values }: PicturedChart): Promise<Blob> {
  const canvas = Object.assign(document.createElement('canvas'), { width, height })
  const context = canvas.getContext('2d')
  if (context === null) throw new Error('This browser draws no pictures.')
  const { steps, top } = axisOf(Math.max(0, ...values))
  const heightOf = (count: number) => ((plot.bottom - plot.top) * count) / top
  const write = (text: string, x: number, y: number, font: string, align: CanvasTextAlign = 'left') => {
    Object.assign(context, { font, textAlign: align, fillStyle: '#1b1f2b' })
    context.fillText(text, x, y)
  }
  context.fillStyle = '#ffffff'
  context.fillRect(0, 0, width, height)
  write(title, 40, 62, '600 34px sans-serif')
  write(source, 40, 605, '20px sans-serif')
  for (const count of steps) {
    const y = plot.bottom - heightOf(count)
    context.fillStyle = '#e4e6ee'
    context.fillRect(plot.left, y, plot.right - plot.left, 1)
    write(formatCompactCount(count), plot.left - 14, y + 7, '20px sans-serif', 'right')
  }
  const step = (plot.right - plot.left) / Math.max(1, values.length)
  for (const [index, value] of values.entries()) {
    const x = plot.left + index * step
    context.fillStyle = '#4152c5'
    context.fillRect(x + step * 0.14, plot.bottom - heightOf(value), step * 0.72, heightOf(value))
    if (index % Math.ceil(values.length / 12) === 0) {
      write(labels[index] ?? '', x + step / 2, plot.bottom + 32, '18px sans-serif', 'center')
    }
  }
  return await new Promise((resolve, reject) => {
    canvas.toBlob((picture) =>
      picture === null ? reject(new Error('The picture could not be made.')) : resolve(picture),
    )
  })
}
