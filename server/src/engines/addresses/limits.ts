/** Longest texts: what the records of emergency networks (NENA ALI) have room for. */
export const LENGTHS = {
  label: 64,
  first_name: 64,
  last_name: 64,
  street_name: 60,
  address_type_number: 16,
  city: 32,
} as const
