/**
 * The fonts of pictures as files of npm packages: Inter in two weights, and DejaVu Sans for the scripts and symbols that
 * Inter lacks. No package of a reasonable size has Chinese, Japanese and Korean.
 */
export const pictureFonts = [
  '@expo-google-fonts/inter/400Regular/Inter_400Regular.ttf',
  '@expo-google-fonts/inter/600SemiBold/Inter_600SemiBold.ttf',
  'dejavu-fonts-ttf/ttf/DejaVuSans.ttf',
] as const
