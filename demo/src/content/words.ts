/** Material for believable content: invented people and bodies, in the scripts that real ones write in. */

export const people = [
  'Amara Okafor',
  'Lukas Brandt',
  'Sofía Herrera',
  'Noah Lindqvist',
  'Priya Raghavan',
  'Mateus Carvalho',
  'Chloé Marchand',
  'Kenji Watanabe',
  '田中 美咲',
  '佐藤 健一',
  '王小明',
  '李思琪',
  '张伟',
  '김민준',
  '이서연',
  'محمد الهاشمي',
  'فاطمة الزهراء',
  'דנה לוי',
  'Олена Коваленко',
  'Дмитрий Соколов',
  'Γιώργος Παππάς',
  'अनन्या शर्मा',
  'สมชาย ใจดี',
  'Nguyễn Thị Lan',
  'Zoë van Dijk',
  'Aoife Ní Bhriain',
  'Björk Jónsdóttir',
  'Thabo Mokoena',
  "Sinéad O'Connell",
  'Ingrid Østergård',
]

export const universities = [
  'Universität Freiburg',
  'Universidad de Granada',
  '東京科学大学',
  '清华大学',
  'University of Cape Town',
  'جامعة القاهرة',
  'Київський політехнічний інститут',
  'École des Arts et Métiers',
  'IIT Madras',
  'Universidade de Coimbra',
]

export const degrees = [
  'BSc Computer Science',
  'MSc Applied Statistics',
  'MA Linguistics',
  'PhD Organic Chemistry',
  'BA Philosophy',
  '工学修士',
  '法学学士',
  'MSc Hydrology',
  'LLM International Law',
  'BEng Civil Engineering',
]

export const cities = [
  'Lisbon',
  'Nairobi',
  '東京',
  'Buenos Aires',
  'Kyiv',
  'Bengaluru',
  'القاهرة',
  'Berlin',
  '서울',
  'Mexico City',
  'Taipei',
  'Montréal',
]

export const countries = [
  'DE',
  'PT',
  'KE',
  'JP',
  'AR',
  'UA',
  'IN',
  'EG',
  'KR',
  'MX',
  'TW',
  'CA',
  'BR',
  'NG',
  'VN',
]

export const projects = [
  'halyard',
  'quillwright',
  'tern-db',
  'loamkit',
  'osmium-rs',
  'paperlantern',
  'fenwick',
  'gridwell',
  'saltmarsh',
  'copperleaf',
]

export const auditors = ['Northgate Security', 'Kestrel Labs', 'Bluefin Audits', 'Tessellate', '白帽实验室']

export const products = [
  'Yirgacheffe washed, 60 kg',
  'Organic cotton bale',
  'Cold-chain vaccine tray',
  'Alpine hay milk, 20 l',
  'Recycled aluminium billet',
  '宇治抹茶 一番茶',
  'Extra virgin olive oil, 5 l',
  'FSC oak planks',
  'Lithium cells, grade A',
  'Atlantic cod, line-caught',
]

export const events = [
  'Ledger Week',
  'Open Source Summit',
  'DevConnect Lisboa',
  'تجمع المطورين',
  '以太坊社区聚会',
  'ZK Hack Nairobi',
]
