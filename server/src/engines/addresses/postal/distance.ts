const EARTH_KM = 6371
const RADIANS = Math.PI / 180

/** Great-circle distance in kilometers between two points in degrees. */
export function kilometers(a: { lat: number; lon: number }, b: { lat: number; lon: number }): number {
  const half = (degrees: number) => Math.sin((degrees * RADIANS) / 2) ** 2
  const h = half(b.lat - a.lat) + Math.cos(a.lat * RADIANS) * Math.cos(b.lat * RADIANS) * half(b.lon - a.lon)
  return 2 * EARTH_KM * Math.asin(Math.min(1, Math.sqrt(h)))
}
