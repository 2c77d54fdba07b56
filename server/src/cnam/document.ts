/** Path of a caller-ID name. */
export const cnamPath = (id: string): string => `/v2/cnams/${id}`
